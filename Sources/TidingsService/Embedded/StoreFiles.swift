internal import TidingsAudit
internal import TidingsFiles
internal import TidingsSQLite

/// The contents of a data folder, found without opening the database.
struct StoreFiles: Hashable, Sendable {
  /// Bytes of the database file; `nil`: there is none.
  var databaseBytes: UInt64?
  /// How often the database's first page was written.
  var firstPageVersion: UInt32?
  /// What the log holds; `nil`: it is missing or empty.
  var log: LogInspection?
  /// Files of assets, complete or not.
  var assetCount = 0
  /// Files of the audit log.
  var auditCount = 0
  /// There is a state file.
  var hasStateFile = false
  /// What it holds; `nil`: it is damaged.
  var state: StoreState?
}

extension StoreFiles {
  /// Looks at a folder.
  ///
  /// - Throws: `FileError` when something cannot be read.
  init(in folder: DataFolder) throws(FileError) {
    databaseBytes = try Folder.status(folder.databasePath)?.size
    firstPageVersion = try Self.firstPageVersion(folder.databasePath)
    log = try Self.log(folder.logPath)
    hasStateFile = try Folder.status(folder.statePath) != nil
    state = try StoreStateFile.read(folder.statePath)
    // They only matter, and are only counted, where the database is lost.
    guard databaseBytes ?? 0 == 0 else { return }
    try count(folder)
  }

  /// Counts what a database would know of.
  mutating func count(_ folder: DataFolder) throws(FileError) {
    auditCount = try Folder.names(folder.path).count(where: AuditKind.isFileName)
    assetCount = 0
    guard Folder.isThere(folder.assetsPath) else { return }
    for name in try Folder.names(folder.assetsPath) {
      let path = folder.assetsPath + "/" + name
      assetCount += Folder.isThere(path) ? try Folder.names(path).count : 1
    }
  }

  private static func log(_ path: String) throws(FileError) -> LogInspection? {
    guard let bytes = try Folder.status(path)?.size, bytes > 0 else { return nil }
    let file = try File(path: path, .read)
    return try LogInspection(fileBytes: bytes) { (offset, count) throws(FileError) in
      try file.read(at: offset, count: count)
    }
  }

  /// Where SQLite counts the writes of the first page.
  private static let firstPageVersionOffset: UInt64 = 24

  /// The number in the first page of a database file that nothing has open.
  private static func firstPageVersion(_ path: String) throws(FileError) -> UInt32? {
    guard try Folder.status(path) != nil else { return nil }
    return try firstPageVersion(File(path: path, .read))
  }

  /// The number in the first page of a database file.
  static func firstPageVersion(_ file: File) throws(FileError) -> UInt32? {
    let bytes = try file.read(at: firstPageVersionOffset, count: 4)
    return bytes.count == 4 ? bytes.reduce(0) { $0 << 8 | UInt32($1) } : nil
  }
}
