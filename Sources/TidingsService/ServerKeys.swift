internal import TidingsFiles
internal import TidingsKeys

extension DataFolder {
  /// The refusal to believe callers whose users have keys.
  var withoutServerKey: StartError {
    StartError(
      "there is no '\(serverKeyPath)', and an administrator has a key: put the file back, or make a new "
        + "pair with `rpcctl keys generate -O '\(serverKeyPath)'`, or believe everybody with --development"
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

  /// Writes the public part for those who connect, unless it is there.
  ///
  /// - Returns: The file was written.
  /// - Throws: When it cannot be written, or is that of another pair.
  @discardableResult
  func publish(_ pair: KeyPair) throws -> Bool {
    guard try KeyFile.isMissing(serverPublicKeyPath) else {
      guard try KeyFile(path: serverPublicKeyPath).publicKey == pair.publicKey else {
        throw StartError(
          "'\(serverPublicKeyPath)' is not the public part of '\(serverKeyPath)': remove it, and it is "
            + "written anew, or put the right server.key back"
        )
      }
      return false
    }
    let file = KeyFile.publicKey(pair.publicKey)
    try file.write(to: serverPublicKeyPath, title: "server, for those who connect")
    return true
  }
}
