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

  /// What the server proves itself with.
  ///
  /// - Returns: `nil` in development mode: asked for, or there is none; see `withoutServerKey`.
  /// - Throws: `StartError` when there is a key file that cannot be used.
  func serverKeys(_ settings: ServerSettings) throws(StartError) -> KeyPair? {
    if settings.isDevelopment { return nil }
    do {
      if let path = settings.serverKeyPath { return try KeyFile.pair(path: path) }
      guard try Folder.status(serverKeyPath) != nil else { return nil }
      return try KeyFile.pair(path: serverKeyPath)
    } catch {
      throw StartError("the server's key: \(error)")
    }
  }
}
