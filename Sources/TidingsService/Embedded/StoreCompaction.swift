internal import TidingsEngine
internal import TidingsFiles
internal import TidingsSQL
internal import TidingsSQLite

/// Rewrites a store that no server uses, without its free pages; from then on a server gives free pages back itself.
public struct StoreCompaction: Sendable {
  /// The size of the database file.
  public struct Outcome: Hashable, Sendable {
    /// Before, in bytes.
    public let bytesBefore: UInt64
    /// Afterwards, in bytes.
    public let bytesAfter: UInt64
  }

  /// The data folder.
  public var dataPath: String

  /// Where the store is.
  public init(dataPath: String) { self.dataPath = dataPath }

  /// Rewrites it.
  ///
  /// Needs room for a second copy of the database. Whenever it is cut short, the store is whole.
  ///
  /// - Throws: `StartError` when there is no store, it cannot be used, or a server uses it.
  public func run() throws -> Outcome {
    guard Folder.isThere(dataPath) else {
      throw StartError("there is no data folder '\(dataPath)': --data names it")
    }
    let folder = try DataFolder(path: dataPath)
    do {
      guard try Folder.status(folder.databasePath) != nil else {
        throw StartError("the data folder '\(dataPath)' holds no store: --data names one that does")
      }
      try stopCleanly(folder)
      let before = try size(folder)
      try SQLiteConnection.compact(folder.databasePath)
      return Outcome(bytesBefore: before, bytesAfter: try size(folder))
    } catch {
      throw StartError(
        "cannot compact the store of '\(dataPath)', which needs room for a second copy and is as it was",
        error
      )
    }
  }

  /// Moves what a crash left in the log into the database, which then has no log any more.
  private func stopCleanly(_ folder: DataFolder) throws {
    let connection = try folder.openDatabase(isThorough: false)
    let store = try StoppedStore(connection, in: folder)
    try store.noteRun(isClean: true)
    connection.setMovesLogOnClose(true)
  }

  private func size(_ folder: DataFolder) throws(FileError) -> UInt64 {
    try Folder.status(folder.databasePath)?.size ?? 0
  }
}
