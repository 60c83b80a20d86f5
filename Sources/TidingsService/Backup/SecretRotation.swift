internal import TidingsEngine
internal import TidingsFiles
internal import TidingsModel
internal import TidingsSQL
internal import TidingsSQLite

/// Gives a store that no server uses a new incarnation and a new secret.
public struct SecretRotation: Sendable {
  /// The data folder.
  public var dataPath: String

  /// Where the store is.
  public init(dataPath: String) { self.dataPath = dataPath }

  /// Does it.
  ///
  /// - Returns: The new incarnation.
  /// - Throws: `StartError` when there is no store, it cannot be used, or a server uses it.
  public func run() throws -> String {
    guard Folder.isThere(dataPath) else {
      throw StartError("there is no data folder '\(dataPath)': --data names it")
    }
    let folder = try DataFolder(path: dataPath)
    do {
      guard try Folder.status(folder.databasePath) != nil else {
        throw StartError("the data folder '\(dataPath)' holds no store: --data names one that does")
      }
      let connection = try folder.openDatabase(isThorough: false)
      let store = try StoppedStore(connection, in: folder)
      let incarnation = try StoreIdentity.renew(connection)
      try store.noteRun(isClean: true)
      connection.setMovesLogOnClose(true)
      return incarnation
    } catch {
      throw StartError("cannot rotate the secret of '\(dataPath)'", error)
    }
  }
}
