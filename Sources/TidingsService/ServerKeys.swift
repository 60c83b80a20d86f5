internal import TidingsFiles
internal import TidingsKeys

extension DataFolder {
  /// What the server proves itself with.
  ///
  /// - Returns: `nil` in development mode: asked for, or the folder was never initialized.
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
