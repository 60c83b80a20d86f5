internal import TidingsEngine
internal import TidingsFiles
public import TidingsPostgres
internal import TidingsSQL

/// Copies a store that no server uses between a data folder and a PostgreSQL database, rows as they are.
///
/// What clients keep of the one therefore continues with the other: tokens, change tags, numbers of notifications,
/// topics and keys. The source is only read. It is read twice, to know rows and checksums of all tables before anything is
/// written, and to copy; in between and afterwards nobody else can use it.
public struct StoreCopy: Sendable {
  /// From where to where.
  public enum Direction: Sendable {
    /// From the data folder.
    case toDatabase
    /// Into the data folder.
    case fromDatabase
  }

  /// How far it is.
  public struct Progress: Sendable {
    /// What is being done.
    public enum Step: String, Sendable {
      /// The source is read.
      case reading
      /// Rows are copied.
      case copying
      /// Contents of assets are copied.
      case copyingAssets = "copying assets"
      /// The copy is read.
      case comparing
    }

    /// What is being done.
    public let step: Step
    /// How much of it is done.
    public fileprivate(set) var done: Int64 = 0
    /// How much there is.
    public let total: Int64
    /// Of what.
    public var unit: String { step == .copyingAssets ? "bytes" : "rows" }
  }

  /// What was copied.
  public struct Outcome: Sendable {
    /// Tables, those without rows too.
    public let tableCount: Int
    /// Their rows.
    public let rowCount: Int64
    /// Bytes of their values.
    public let byteCount: Int
    /// Rows that an interrupted copy had copied.
    public let resumedRowCount: Int64
    /// Contents of assets that the copy has.
    public let assetCount: UInt64
    /// Contents of assets that are missing in the copy, because they were missing or damaged in the source.
    public let damagedAssetCount: UInt64
    /// The contents of the source's assets are in files that are not in its data folder.
    public let hasAssetsElsewhere: Bool
    /// A copy of this store was interrupted, and could not be resumed, because the store was used since.
    public let isRestarted: Bool
  }

  /// The data folder.
  public var dataPath: String
  /// The database.
  public var address: PostgresAddress
  /// From where to where.
  public var direction: Direction

  /// Tables that each database has for itself.
  static let ownTables: Set = [
    "migrations", "commits", "leader", "leader_keys", UnfinishedCopy.table,
  ]

  /// Whether the rows of a table are copied: all, except for what an embedded store has in files.
  static func isCopied(_ table: SQLTable) -> Bool {
    !ownTables.contains(table.name) && !DatabaseContent.tables.contains(table.name)
  }

  /// What to copy.
  public init(dataPath: String, address: PostgresAddress, direction: Direction) {
    (self.dataPath, self.address, self.direction) = (dataPath, address, direction)
  }

  /// Copies it.
  ///
  /// Whenever it is cut short, the target is no store, and the same command continues.
  ///
  /// - Parameter progress: Called now and then.
  /// - Returns: What was copied.
  /// - Throws: `StartError`.
  public func run(_ progress: (Progress) -> Void = { _ in }) throws -> Outcome {
    #if PostgreSQL
    guard direction == .fromDatabase || Folder.isThere(dataPath) else {
      throw StartError("there is no data folder '\(dataPath)': --data names it")
    }
    let folder = try DataFolder(path: dataPath)
    do {
      let database = try PostgresDatabase(address)
      switch direction {
      case .toDatabase:
        var target = try PostgresCopyTarget(in: database)
        return try copy(CopySource(in: folder), to: &target, progress)
      case .fromDatabase:
        var target = try EmbeddedCopyTarget(in: folder)
        return try copy(CopySource(in: database), to: &target, progress)
      }
    } catch let error as StartError {
      throw error
    } catch {
      let attempt =
        direction == .toDatabase
        ? "cannot copy the store of '\(dataPath)' into the database"
        : "cannot copy the database into the store of '\(dataPath)'"
      throw StartError("\(StartError(attempt, error)); repeat the command to continue")
    }
    #else
    throw PostgresAddress.unsupported(address)
    #endif
  }

  private func copy(
    _ source: CopySource,
    to target: inout some CopyTarget,
    _ progress: (Progress) -> Void
  ) throws -> Outcome {
    let tables = source.tables.filter(Self.isCopied)
    let pages = try tables.map { table in try TablePages(table, in: source.connection) }
    let total = pages.reduce(0) { $0 + $1.extent.rowCount }
    let digests = try digests(pages, .reading, total, progress)
    let resumed = try begin(&target, fingerprint(tables, digests))
    try check(tables, against: target)
    let resumedRowCount = try copyRows(pages, to: target, total, progress)
    let assets = try copyAssets(from: source, to: target, progress)
    try target.auditLines().copy(from: source.auditLines)
    try compare(digests, pages, with: target, total, progress)
    try target.finish()
    return Outcome(
      tableCount: tables.count,
      rowCount: total,
      byteCount: digests.reduce(0) { $0 + $1.byteCount },
      resumedRowCount: resumedRowCount,
      assetCount: assets.assetCount,
      damagedAssetCount: assets.damagedAssetCount,
      hasAssetsElsewhere: source.assets == nil,
      isRestarted: resumed == .restarted
    )
  }

  // MARK: Steps

  private func digests(
    _ pages: [TablePages],
    _ step: Progress.Step,
    _ total: Int64,
    _ progress: (Progress) -> Void
  ) throws -> [TableDigest] {
    var state = Progress(step: step, total: total)
    progress(state)
    return try pages.map { pages in
      try TableDigest(pages) { count in
        state.done += Int64(count)
        progress(state)
      }
    }
  }

  /// What changes whenever a server has used the store: each start leaves a number in its table `store`.
  private func fingerprint(_ tables: [SQLTable], _ digests: [TableDigest]) -> String {
    let store = zip(tables, digests).first { $0.0.name == "store" }
    return store?.1.checksum.hexadecimal ?? ""
  }

  private enum Beginning {
    case new, resumed, restarted
  }

  private func begin(
    _ target: inout some CopyTarget,
    _ fingerprint: String
  ) throws -> Beginning {
    let unfinished = target.unfinished
    if unfinished == fingerprint {
      try target.resume()
      return .resumed
    }
    try target.begin(fingerprint: fingerprint)
    return unfinished == nil ? .new : .restarted
  }

  /// Both databases have the same tables, with the same columns.
  private func check(_ tables: [SQLTable], against target: some CopyTarget) throws {
    func columns(_ tables: [SQLTable]) -> Set<String> {
      var names: Set<String> = []
      for table in tables where Self.isCopied(table) {
        for column in table.columns { names.insert("\(table.name).\(column.name) \(column.type)") }
      }
      return names
    }
    let difference = columns(tables).symmetricDifference(columns(try target.tables()))
    guard let column = difference.min() else { return }
    throw StartError(
      "the column '\(column)' exists in one of the two databases only, which is a defect of rpcd: nothing was copied"
    )
  }

  /// - Returns: How many rows were there before.
  private func copyRows(
    _ pages: [TablePages],
    to target: some CopyTarget,
    _ total: Int64,
    _ progress: (Progress) -> Void
  ) throws -> Int64 {
    var state = Progress(step: .copying, total: total)
    var resumedRowCount: Int64 = 0
    for pages in pages {
      let there = try TablePages(pages.table, in: target.connection).extent.rowCount
      resumedRowCount += there
      state.done += there
      progress(state)
      let writer = try TableWriter(like: pages, in: target.connection)
      let key = try TablePages.lastKey(of: pages.table, in: target.connection)
      // Rows are read before the transaction begins: a server ends one in which nothing happens for a while.
      try pages.forEachPage(after: key) { rows in
        try write(rows, writer, to: target)
        state.done += Int64(rows.count)
        progress(state)
      }
    }
    return resumedRowCount
  }

  private func copyAssets(
    from source: CopySource,
    to target: some CopyTarget,
    _ progress: (Progress) -> Void
  ) throws -> ContentCopy.Outcome {
    let inventory = try AssetInventory(source.connection)
    let (there, total) = (try target.assets(), try inventory.totals())
    guard let assets = source.assets else {
      return try ContentCopy.countAssets(in: there, inventory)
    }
    var state = Progress(step: .copyingAssets, total: Int64(clamping: total.bytes))
    return try ContentCopy.copyAssets(from: assets, to: there, inventory) { bytes in
      state.done += Int64(clamping: bytes)
      progress(state)
    }
  }

  private func write(
    _ rows: StoredRows,
    _ writer: TableWriter,
    to target: some CopyTarget
  ) throws {
    try target.connection.execute("BEGIN IMMEDIATE")
    do {
      try writer.write(rows)
      try target.connection.execute("COMMIT")
    } catch {
      target.connection.abandon()
      throw error
    }
    try target.didCommit()
  }

  /// - Throws: `StartError` when a table of the copy is not as that of the source.
  private func compare(
    _ expected: [TableDigest],
    _ pages: [TablePages],
    with target: some CopyTarget,
    _ total: Int64,
    _ progress: (Progress) -> Void
  ) throws {
    let copied = try pages.map { try TablePages($0.table, in: target.connection) }
    let found = try digests(copied, .comparing, total, progress)
    for (index, pages) in pages.enumerated() where expected[index] != found[index] {
      try target.invalidate()
      throw StartError(
        "the table '\(pages.table.name)' of the copy is not as that of the store (\(found[index].rowCount) of "
          + "\(expected[index].rowCount) rows): repeat the command, which starts from the beginning"
      )
    }
  }
}
