internal import TidingsEngine
internal import TidingsFiles
internal import TidingsModel
internal import TidingsSQL
internal import TidingsSQLite

/// Lets a store that lost something go on with what is there, as another one: with a new incarnation and
/// a new secret, so that what clients hold of the old one expires.
public struct LossAcceptance: Sendable {
  /// What was done.
  public struct Outcome: Sendable {
    /// What was lost, in words.
    public let loss: String
    /// When the last commit was acknowledged that is known of, in UTC; `nil`: nothing is known.
    public let lastCommit: String?
    /// The new incarnation: 16 hexadecimal digits.
    public let incarnation: String
    /// Where the log of the lost database was put.
    public let logPath: String?
  }

  /// The data folder.
  public var dataPath: String

  /// A store in a folder.
  public init(dataPath: String) { self.dataPath = dataPath }

  /// Accepts the loss.
  ///
  /// Can be repeated when it was cut short: the state file is written last, and until then the store is
  /// refused as before.
  ///
  /// - Throws: `StartError` when nothing was lost, the database is damaged, or something cannot be
  ///   written.
  public func run() throws -> Outcome {
    guard Folder.isThere(dataPath) else {
      throw StartError("there is no folder '\(dataPath)': name the data folder with --data")
    }
    let folder = try DataFolder(path: dataPath)
    do {
      return try accept(folder)
    } catch let error as SQLError where error.kind == .damaged {
      throw folder.damaged(error)
    } catch {
      throw StartError("cannot accept the loss in '\(dataPath)'", error)
    }
  }

  private func accept(_ folder: DataFolder) throws -> Outcome {
    let files = try StoreFiles(in: folder)
    let loss = StoreLoss(files)
    var logPath: String?
    // A log without its database would be removed by the new one.
    if case .database = loss, files.log != nil { logPath = try setLogAside(folder) }
    let connection = try SQLiteConnection(path: folder.databasePath)
    try connection.check(
      thorough: true,
      firstPageIsInLog: logPath == nil && files.log?.hasFirstPage ?? false
    )
    guard let loss = try loss ?? folder.loss(in: connection, files) else {
      throw StartError("nothing is known to be lost in '\(dataPath)': start rpcd")
    }
    if try StoreLabel(connection) != nil { try StoreIdentity.renew(connection) }
    let store = try StoppedStore(connection, in: folder)
    try store.noteRun(isClean: false)
    return Outcome(
      loss: loss.description(folder),
      lastCommit: files.state.flatMap { $0.position == nil ? nil : $0.lastCommit.utcText },
      incarnation: store.engine.incarnation,
      logPath: logPath
    )
  }

  private func setLogAside(_ folder: DataFolder) throws(FileError) -> String {
    var number = 1
    while try Folder.status("\(folder.logPath).lost-\(number)") != nil { number += 1 }
    let path = "\(folder.logPath).lost-\(number)"
    try Folder.rename(folder.logPath, to: path)
    try Folder.synchronize(folder.path)
    return path
  }
}
