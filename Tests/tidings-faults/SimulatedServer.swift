#if DEBUG
internal import TidingsAudit
internal import TidingsEngine
internal import TidingsFiles
internal import TidingsLogging
internal import TidingsModel
internal import TidingsSQL
internal import TidingsSQLite

@testable internal import TidingsService

/// A server without sockets and threads: the store, the engine, the assets and the audit log of one data folder.
///
/// It does what `Core` does in a turn, in the same order: calls, commit, the note of the commit, acknowledgement. What
/// the threads of a server do (checkpoints, uploads, lines of the audit log) happens between calls; the store's own
/// thread is never woken, since nothing reports to it how long the log is.
final class SimulatedServer {
  let engine: Engine
  let folder: DataFolder
  private let sqlite: SQLiteConnection
  private let committer: Committer
  private let store: any Store
  private let assets: AssetShard
  private var audit: [any AuditRecords]
  private var reader: EngineReader?
  private var hasStopped = false
  private var checkpointing: SQLiteConnection?

  /// Opens a data folder, as a start of a server does.
  ///
  /// - Parameters:
  ///   - path: The folder; made if it is not there.
  ///   - clock: The time of day.
  ///   - look: Called with the database file once it is open and checked, and before anything is written.
  /// - Throws: Why a server would not start; what `look` throws.
  init(
    _ path: String,
    clock: @escaping () -> Timestamp,
    look: (String) throws -> Void = { _ in }
  ) throws {
    folder = try DataFolder(path: path)
    let database = try EmbeddedDatabase(in: folder, isThorough: true)
    try look(folder.databasePath)
    guard let sqlite = database.connection as? SQLiteConnection else {
      throw Failure("not an SQLite file")
    }
    self.sqlite = sqlite
    // It shows the system's time, which is that of the simulation (`fault_disk_set_time`).
    let steadyClock = SteadyClock()
    engine = try Engine(sqlite, steadyClock: steadyClock) { ClockReading(undisturbed: clock()) }
    // Short files, so that some are begun and removed.
    let auditPath = folder.path
    audit = try AuditKind.allCases.map { try AuditFile($0, folder: auditPath, bytesMax: 1_500) }
    let store = try database.makeStore(
      for: StoreUser(
        limits: engine.limits,
        now: steadyClock.now,
        logger: Logger(level: .error),
        wake: {}
      )
    )
    self.store = store
    do {
      let assetFolder = try AssetFolder(path: folder.assetsPath)
      assets = AssetShard(
        assetFolder,
        try UnfinishedUploads(assetFolder, limits: engine.limits),
        readers: store.readers,
        steadyClock: steadyClock
      )
    } catch {
      store.stop()
      throw error
    }
    committer = Committer(engine, store: store)
    do {
      try store.begin()
    } catch {
      abandon()
      throw error
    }
  }

  /// Ends it, and its thread.
  ///
  /// What it still writes is behind the end of what was recorded.
  func abandon() {
    if !hasStopped { store.stop() }
    hasStopped = true
  }

  /// Ends it in order.
  func stop() throws {
    try engine.keepTime()
    abandon()
  }

  // MARK: Calls

  /// Makes calls in one group.
  ///
  /// - Returns: What they returned; a call that was refused returns `nil`.
  /// - Throws: `SQLError`: nothing of the group was done, or a sync failed.
  func commit(_ calls: [(Engine) throws -> Void]) throws -> [ItemError?] {
    do {
      try committer.open(for: .write)
      let errors = try calls.map { call in
        do {
          try call(engine)
          return nil as ItemError?
        } catch let error as ItemError {
          return error
        }
      }
      let group = try committer.commit()
      store.didCommit()
      for checksum in group.transaction?.collectedAssets ?? [] { _ = try? assets.collect(checksum) }
      return errors
    } catch {
      _ = committer.giveUp()
      throw error
    }
  }

  /// Reads in a transaction of its own.
  func look<R>(_ body: (Engine) throws -> R) throws -> R {
    try committer.open(for: .read)
    defer { committer.rollback() }
    return try body(engine)
  }

  /// Moves the log into the database, as the thread for it does.
  func checkpoint() throws {
    if checkpointing == nil { checkpointing = try SQLiteConnection(path: folder.databasePath) }
    _ = try checkpointing?.checkpoint()
  }

  /// Reads as a reader thread does.
  func read<R>(_ body: (EngineReader) throws -> R) throws -> R {
    let reader =
      try self.reader
      ?? EngineReader(store.readers.connect(cacheBytes: 1 << 20), limits: engine.limits)
    self.reader = reader
    return try reader.withSnapshot { try body(reader) }
  }

  /// The token at the end of a zone's changes.
  func token(of zone: ZoneID, after token: [UInt8]) throws -> [UInt8] {
    var token = token
    while true {
      let page = try read { reader in
        var budget = FeedBudget(limit: 0, engine.limits)
        return try reader.zoneChanges(
          ZoneFeedRequest(zone: zone, changeToken: token),
          in: RandomCalls.home,
          caller: RandomCalls.ada,
          budget: &budget
        ) { _ in }
      }
      token = page.changeToken
      if !page.moreComing { return token }
    }
  }

  // MARK: Files

  /// Uploads a piece of an asset.
  ///
  /// - Returns: Whether the content is in its place: its row is to be written, then `settle` called.
  func upload(_ upload: AssetUpload, offset: Int, _ chunk: [UInt8]) throws -> Bool {
    try assets.receive(upload, offset: UInt64(offset), chunk: chunk) == .placed
  }

  /// The row of an asset was written, or not.
  func settle(_ checksum: [UInt8]) { assets.settle(checksum) }

  /// Checks the audit log, which must have these lines.
  func checkAudit(_ heads: [(AuditKind, ChainHead)]) throws {
    for check in try AuditFolder(path: folder.path).checks() {
      let found = try check.run(heads.filter { $0.0 == check.kind }.map(\.1))
      guard found.problems.isEmpty else { throw Failure("audit log: \(found.problems)") }
    }
  }

  /// Checks that each asset of the database has its content.
  func checkAssets() throws {
    let select = try sqlite.prepare("SELECT DISTINCT checksum, size FROM assets")
    try select.forEachRow {
      let checksum = select.bytes(0)
      let path =
        folder.assetsPath + "/" + [checksum[0]].hexadecimal + "/"
        + Array(checksum.dropFirst()).hexadecimal
      guard let size = try Folder.status(path)?.size, Int64(size) == select.int64(1) else {
        throw Failure("the content of asset \(checksum.hexadecimal) is missing")
      }
      let content = try File(path: path, .read).read(at: 0, count: Int(size))
      guard SHA256.checksum(of: content) == checksum else {
        throw Failure("the content of asset \(checksum.hexadecimal) is another")
      }
    }
  }

  /// Adds a line to the audit log.
  ///
  /// - Returns: The last line, which is durable.
  func addAudit(_ entry: AuditEntry) throws -> (AuditKind, ChainHead)? {
    guard let index = audit.firstIndex(where: { $0.kind == entry.kind }) else { return nil }
    _ = try audit[index].append([entry])
    return (entry.kind, audit[index].head)
  }
}
#endif
