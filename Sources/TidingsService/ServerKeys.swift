internal import TidingsFiles
internal import TidingsKeys
internal import TidingsZeroMQ

extension DataFolder {
  /// The refusal to start without authentication when users have keys.
  var withoutServerKey: StartError {
    StartError(
      "there is no '\(serverKeyPath)', and an administrator has a key: put the file back, or make a new "
        + "pair with `rpcctl keys generate -O '\(serverKeyPath)'`, or turn authentication off with --development"
    )
  }

  /// What the server proves itself with; it is not in core dumps, unless the settings allow them.
  ///
  /// - Returns: `nil` in development mode: asked for, or there is none; see `withoutServerKey`.
  /// - Throws: `StartError` when there is a key file that cannot be used, or the public part is missing
  ///   and cannot be written.
  func serverKeys(_ settings: ServerSettings) throws(StartError) -> KeyPair? {
    if settings.isDevelopment { return nil }
    do {
      guard try settings.serverKeyPath != nil || !KeyFile.isMissing(serverKeyPath) else {
        return nil
      }
      if !settings.allowsCoreDumps { CoreDumps.forbid() }
      if let path = settings.serverKeyPath {
        return try KeyFile.pair(path: path, isGuarded: settings.isServerKeyGuarded)
      }
      let pair = try KeyFile.pair(path: serverKeyPath)
      try publish(pair)
      return pair
    } catch {
      throw StartError("the server's key: \(error)")
    }
  }

  /// What the server proves itself with at its second endpoints; `nil`: it has none.
  ///
  /// - Throws: `StartError` when the file cannot be used, or the server has no other key.
  func secondKey(_ settings: ServerSettings, beside pair: KeyPair?) throws(StartError) -> SecondKey?
  {
    guard let next = settings.nextKey else { return nil }
    guard let pair else {
      throw StartError(
        "there is a next server key and no server key that it could replace: leave next-server-key-file "
          + "out, or make a key with `rpcd init`"
      )
    }
    let second: KeyPair
    do {
      second = try KeyFile.pair(path: next.path)
    } catch {
      throw StartError("the server's next key: \(error)")
    }
    guard second.publicKey != pair.publicKey else {
      throw StartError(
        "the server's next key is the one that it has: the key was replaced, so leave next-server-key-file "
          + "out"
      )
    }
    return SecondKey(
      pair: second,
      endpoint: next.rpcEndpoint,
      pushEndpoint: next.pushEndpoint,
      advertisedPushEndpoint: next.advertisedPushEndpoint
    )
  }

  /// Writes the public part for those who connect, unless it is there.
  ///
  /// - Returns: The file was written.
  /// - Throws: When it cannot be written, or is that of another pair.
  @discardableResult
  func publish(_ pair: KeyPair) throws -> Bool {
    guard try KeyFile.isMissing(serverPublicKeyPath) else {
      guard try KeyFile(path: serverPublicKeyPath).publicKey == pair.publicKey else {
        throw StartError(
          "'\(serverPublicKeyPath)' is not the public part of '\(serverKeyPath)': remove it, so that it is "
            + "rewritten, or restore the right server.key"
        )
      }
      return false
    }
    let file = KeyFile.publicKey(pair.publicKey)
    try file.write(to: serverPublicKeyPath, title: "server, for those who connect")
    return true
  }
}
