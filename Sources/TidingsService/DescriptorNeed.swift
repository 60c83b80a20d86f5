/// How many files, sockets and pipes a server has open, connections of clients aside.
public enum DescriptorNeed {
  /// Standard streams, the loop's and libzmq's descriptors, timers and signals: 31 were seen with keys.
  private static let runtime = 48
  /// Of the loop, the checkpointer, the reader threads, and the threads that work on assets.
  private static let connections = 2 + ReaderPool.threadCount + 2 * AssetFiles.threadCount
  /// A connection has the database and its log open; all share the log's index.
  private static let database = 2 * connections + 1
  /// The folder and its lock, the store's state, log and database, the audit log, folders that are
  /// synced, uploads that are written.
  private static let folder = 16

  /// The least that a server starts with: as many as it has open at most itself, with each download at
  /// a file, and the same number for connections (`ConnectionCeiling`).
  public static let count = 2 * (runtime + database + folder + AssetMethods.callsMax)
}
