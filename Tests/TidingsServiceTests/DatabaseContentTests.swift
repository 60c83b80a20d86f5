#if PostgreSQL
internal import Foundation
internal import PostgresTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsAudit
internal import TidingsFiles
internal import TidingsModel
internal import TidingsPostgres
internal import TidingsSQL

@testable internal import TidingsEngine
@testable internal import TidingsService

/// Contents of assets and lines of the audit log in the tables of a PostgreSQL database.
@Suite(
  .enabled(
    if: PostgresCluster.isAvailable,
    "PostgreSQL is not installed: run tools/install-dependencies --postgres"
  )
)
struct DatabaseContentTests {
  private let address: PostgresAddress
  private let content: [UInt8]

  init() throws {
    address = try PostgresCluster.shared().makeDatabase()
    try PostgresConnection(address).migrate(Migration.store)
    var random = SplitMix64(seed: 11)
    content = random.bytes(10_000)
  }

  private func connect() -> PostgresConnection { PostgresConnection(address) }

  /// A connection whose transactions are not ended by a machine that has other work.
  private func connectPatiently() -> PostgresConnection {
    var profile = PostgresProfile.writer
    profile.idleTransactionMilliseconds = nil
    return PostgresConnection(address, profile: profile)
  }

  private func count(_ rows: String) throws -> Int64 {
    let select = try connect().prepare("SELECT count(*) FROM \(rows)")
    defer { select.reset() }
    return try select.step() ? select.int64(0) : -1
  }

  private func asset(_ content: [UInt8]) -> Asset {
    Asset(checksum: SHA256.checksum(of: content), size: UInt64(content.count))
  }

  private func upload(_ content: [UInt8], user: String = "ada") -> AssetUpload {
    AssetUpload(
      database: DatabaseID(
        container: "default",
        environment: .development,
        scope: .private,
        owner: user
      ),
      user: user,
      asset: asset(content)
    )
  }

  private func shard(_ limits: Limits = Limits()) throws -> DatabaseAssetShard {
    let connection = connect()
    // Nobody turns the power off.
    try connection.execute("SET synchronous_commit = off")
    return try DatabaseAssetShard(connection, UnfinishedUploadRule(limits), SteadyClock())
  }

  // MARK: Assets

  @Test("any chunks, in any order and doubled, become the content; gaps are refused")
  func randomChunks() throws {
    let seed = Seed.make("assetChunks")
    var random = SplitMix64(seed: seed)
    let table = try AssetContentTable(connect())
    for number in 0..<3 {
      var shard = try shard()
      var content = content
      content[0] = UInt8(number)
      let upload = upload(content)
      var stored = 0
      while stored < content.count {
        // A restarted server knows what it has, and the hash of it.
        if random.oneIn(10) { shard = try self.shard() }
        let offset = random.below(min(content.count, stored + 1000) + 1)
        let end = min(content.count, offset + random.below(3000))
        let step = try shard.receive(
          upload,
          offset: UInt64(offset),
          chunk: Array(content[offset..<end])
        )
        if offset <= stored { stored = max(stored, end) }
        switch step {
        case .stored(let bytes):
          try #require(stored < content.count && bytes == UInt64(stored), "seed \(seed)")
        case .verified: try #require(stored == content.count, "seed \(seed)")
        default: Issue.record("seed \(seed): \(step)")
        }
      }
      // Nobody sees it before a row claims it.
      #expect(try table.content(upload.asset.checksum) == nil)
      #expect(try table.claim(upload.asset.checksum))
      let whole = try #require(try table.content(upload.asset.checksum))
      var read: [UInt8] = []
      while read.count < content.count {
        let more = try table.read(whole.number, at: UInt64(read.count), count: 4_000)
        try #require(!more.isEmpty, "seed \(seed)")
        read += more
      }
      #expect(read == content, "seed \(seed)")
    }
  }

  @Test("bytes that are not the asset are thrown away, and nothing is left of them")
  func mismatch() throws {
    let shard = try shard()
    let step = try shard.receive(upload([1, 2, 3]), offset: 0, chunk: [1, 2, 4])
    guard case .mismatched(3, let checksum) = step else {
      Issue.record("\(step)")
      return
    }
    #expect(checksum == SHA256.checksum(of: [1, 2, 4]))
    #expect(try count("asset_contents WHERE state = 3") == 1)
    try blockUntil("all that was thrown away to be removed", pausing: .zero) {
      try !shard.removeDropped()
    }
    #expect(try count("asset_contents") == 0 && count("asset_chunks") == 0)
  }

  @Test(
    "an upload that was thrown away and begun again is hashed again",
    arguments: [false, true]
  )
  func begunAgain(byAnother: Bool) throws {
    let (first, other) = (try shard(), try shard())
    let upload = upload(content)
    let half = content.count / 2
    var wrong = Array(content[..<half])
    _ = try first.receive(upload, offset: 0, chunk: wrong)
    // The uploads of all shards are thrown away by one of them.
    let dropping = byAnother ? other : first
    #expect(try dropping.dropUploads(olderThan: SteadyTime(milliseconds: .max)) == 1)
    wrong[0] ^= 1
    let begun = try dropping.receive(upload, offset: 0, chunk: wrong)
    guard case .stored(UInt64(half)) = begun else {
      Issue.record("\(begun)")
      return
    }
    let step = try first.receive(upload, offset: UInt64(half), chunk: Array(content[half...]))
    guard case .mismatched(let size, let checksum) = step else {
      Issue.record("\(step)")
      return
    }
    #expect(size == upload.asset.size)
    #expect(checksum == SHA256.checksum(of: wrong + content[half...]))
    #expect(try count("asset_contents WHERE state <> 3") == 0)
  }

  @Test("a user has so many unfinished uploads, and so many bytes of them")
  func unfinished() throws {
    var limits = Limits()
    limits.unfinishedUploadsPerUserMax = 2
    limits.unfinishedUploadBytesPerUserMax = 3_000
    let shard = try shard(limits)
    func begin(_ first: UInt8, _ count: Int, user: String = "ada") throws {
      var content = content
      content[0] = first
      _ = try shard.receive(upload(content, user: user), offset: 0, chunk: Array(content[..<count]))
    }
    try begin(1, 1_000)
    #expect(throws: ItemError.self) { try begin(2, 2_001) }
    try begin(2, 2_000)
    #expect(throws: ItemError.self) { try begin(3, 1) }
    try begin(3, 1, user: "bob")
    #expect(try count("asset_contents") == 3)
    // What nobody continues does not count permanently.
    #expect(try shard.dropUploads(olderThan: SteadyTime(milliseconds: .max)) == 3)
    try blockUntil("all that was thrown away to be removed", pausing: .zero) {
      try !shard.removeDropped()
    }
    try begin(3, 1)
    #expect(try count("asset_contents") == 1)
  }

  @Test("a content is removed after the last row, unless a row has claimed it meanwhile")
  func claims() async throws {
    let asset = asset(content)
    _ = try shard().receive(upload(content), offset: 0, chunk: content)
    let (first, second) = (connectPatiently(), connect())
    let claiming = try AssetContentTable(first)
    try first.execute("BEGIN")
    #expect(try claiming.claim(asset.checksum))
    try first.execute("COMMIT")

    // Another upload of the same adds nothing.
    _ = try shard().receive(upload(content, user: "bob"), offset: 0, chunk: content)
    #expect(try claiming.claim(asset.checksum))
    #expect(try count("asset_contents WHERE state = 2") == 1)
    #expect(try count("asset_contents WHERE state = 3") == 1)

    try first.execute("BEGIN")
    #expect(try claiming.claim(asset.checksum))
    let hasLocked = Observed(false)
    async let locking: Void = blocking { [self] in
      let connection = connectPatiently()
      let table = try AssetContentTable(connection)
      try connection.execute("BEGIN")
      try table.lock(asset.checksum)
      hasLocked.update { $0 = true }
      try connection.execute("COMMIT")
    }
    let waiting = try second.prepare(
      """
      SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'
      """
    )
    var waits: Int64 = 0
    try await waitUntil("the other to wait for the lock", pausing: .milliseconds(5)) {
      try waiting.forEachRow { waits = waiting.int64(0) }
      return waits > 0 || hasLocked.value
    }
    #expect(!hasLocked.value)
    try first.execute("COMMIT")
    try await locking

    try claiming.remove(asset.checksum)
    #expect(try claiming.content(asset.checksum) == nil)
    #expect(try !claiming.claim(asset.checksum))
  }

  @Test("contents are copied from files to tables and back, and damaged ones are not")
  func copies() throws {
    let (from, back) = (try TemporaryFolder(), try TemporaryFolder())
    let source = StoredAssetFiles(folder: try AssetFolder(path: from.file("assets")))
    let rows = try StoredAssetRows(connect())
    let target = StoredAssetFiles(folder: try AssetFolder(path: back.file("assets")))
    for content in [[], [7], content, [UInt8](repeating: 3, count: (2 << 20) + 5)] {
      let asset = AssetInventory.Row(
        checksum: SHA256.checksum(of: content),
        size: UInt64(content.count)
      )
      if !content.isEmpty {
        #expect(throws: StartError.self) { try rows.copy(asset, from: target) }
      }
      try source.write(asset) { try $0(content) }
      for _ in 0..<2 { try rows.copy(asset, from: source) }
      try target.copy(asset, from: rows)
      var copy: [UInt8] = []
      try target.forEachPiece(of: asset) { copy += $0 }
      #expect(copy == content)
      let wrong = AssetInventory.Row(checksum: [UInt8](repeating: 1, count: 32), size: 3)
      for stored in [rows, target] as [any StoredAssets] {
        #expect(throws: StartError.self) { try stored.write(wrong) { try $0([1, 2, 3]) } }
        #expect(try !stored.has(wrong))
      }
    }
    #expect(try count("asset_contents WHERE state <> 2") == 0)
    #expect(try count("asset_contents") == 4)
  }

  @Test("where contents are is decided before there is one, and then stays")
  func placement() throws {
    let connection = connect()
    try AssetPlacement.database.establish(in: connection)
    try AssetPlacement.files.establish(in: connection)
    try AssetPlacement.database.establish(in: connection)
    let asset = "INSERT INTO assets (database_id, checksum, size) VALUES (1, x'01', 1)"
    try connection.execute(asset)
    try AssetPlacement.database.establish(in: connection)
    #expect(throws: StartError.self) { try AssetPlacement.files.establish(in: connection) }
    // As a version left it that knew files only.
    try connection.execute("DELETE FROM asset_storage")
    #expect(throws: StartError.self) { try AssetPlacement.database.establish(in: connection) }
    try AssetPlacement.files.establish(in: connection)
    #expect(throws: StartError.self) { try AssetPlacement.database.establish(in: connection) }
  }

  // MARK: The audit log

  private func entry(_ detail: String, _ kind: AuditKind = .administration) -> AuditEntry {
    var entry = AuditEntry("CreateUser", user: "root", isRefused: false, detail: detail)
    entry.kind = kind
    return entry
  }

  private func audit() -> AuditDatabase {
    AuditDatabase(
      connections: { [address] in PostgresConnection(address) },
      readers: PostgresReaders(address: address)
    )
  }

  private func check(_ kind: AuditKind = .administration) throws -> ChainCheck {
    try #require(try audit().checks().first { $0.kind == kind }).run([])
  }

  @Test("lines of several connections are one chain; a transaction that is rolled back adds none")
  func chain() throws {
    var rows = try #require(try audit().records().first { $0.kind == .administration })
    let connection = connect()
    let table = try AuditTable(connection)
    _ = try rows.append([entry("1"), entry("2")])
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try connection.transaction {
        _ = try table.append([entry("never")])
        throw Failure()
      }
    }
    let added = try connection.transaction {
      try table.append([entry("3"), entry("s", .schemas), entry("4")])
    }
    #expect(added.map(\.kind) == [.administration, .schemas] && added[0].lines.count == 2)
    _ = try rows.append([entry("5")])
    #expect(try table.newest(.administration, max: 9).map(\.detail) == ["1", "2", "3", "4", "5"])
    #expect(try table.newest(.administration, max: 2).map(\.detail) == ["4", "5"])
    let whole = try check()
    #expect(whole.problems == [] && whole.lineCount == 5 && whole.head == rows.head)
    #expect(try check(.schemas).lineCount == 1)

    try connection.execute("DELETE FROM audit_lines WHERE kind = 'audit' AND position = 5")
    #expect(try check().problems.contains { $0.contains("line 5, whose checksum was kept") })
    try connection.execute("DELETE FROM audit_lines WHERE kind = 'audit' AND position = 2")
    #expect(try check().problems.contains { $0.contains("lines 2 to 2 are missing") })
  }

  @Test("the oldest lines go when there are too many, and the rest is a chain")
  func oldest() throws {
    let table = try AuditTable(connect(), segmentBytesMax: 1_000)
    for number in 0..<200 { _ = try table.append([entry("\(number)")]) }
    try table.removeOldest(.administration)
    let tail = try table.tail(.administration)
    #expect(tail.segment > 20 && tail.position == 200)
    #expect(
      try count("(SELECT DISTINCT segment FROM audit_lines) AS s")
        == Int64(AuditKind.oldFilesMax + 1)
    )
    let check = try check()
    #expect(check.problems == [] && check.firstNumber > 100 && check.head == tail.head)
  }

  @Test("entries whose commit has an unknown outcome are there once", arguments: [true, false])
  func uncertain(isKept: Bool) throws {
    let connection = UncertainConnection(connect())
    var rows = try AuditRows(.administration, in: AuditTable(connection), on: connection)
    _ = try rows.append([entry("1")])
    connection.keepsNext = isKept
    do {
      _ = try rows.append([entry("2"), entry("3")])
      Issue.record("the outcome was known")
    } catch let error as SQLError {
      #expect(error.isPassing)
    }
    var rest = [entry("2"), entry("3"), entry("4")]
    while !rest.isEmpty { rest.removeFirst(try rows.append(rest).count) }
    let table = try AuditTable(connect())
    #expect(try table.newest(.administration, max: 9).map(\.detail) == ["1", "2", "3", "4"])
    let check = try check()
    #expect(check.problems == [] && check.head == rows.head)
  }

  @Test("lines are copied from files to tables and back as they are, those of crashes too")
  func auditCopies() throws {
    let (from, back) = (try TemporaryFolder(), try TemporaryFolder())
    var file = try AuditFile(.administration, folder: from.path, bytesMax: 2_000)
    for number in 0..<20 { _ = try file.append([entry("\(number)")]) }
    let handle = try #require(FileHandle(forWritingAtPath: from.file("audit.log")))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("{\"number\":2".utf8))
    file = try AuditFile(.administration, folder: from.path, bytesMax: 2_000)
    for number in 0..<3 { _ = try file.append([entry("after \(number)")]) }
    let source = AuditFolder(path: from.path)
    let rows = try StoredAuditRows(connect())
    try rows.copy(from: source)
    #expect(throws: StartError.self) { try rows.copy(from: source) }
    let target = AuditFolder(path: back.path)
    try target.copy(from: rows)
    #expect(throws: StartError.self) { try target.copy(from: rows) }
    func lines(_ stored: any StoredAuditLines) throws -> [[UInt8]] {
      var lines: [[UInt8]] = []
      try stored.forEachLine(.administration) { lines.append($0) }
      return lines
    }
    let original = try lines(source)
    #expect(original.count == 24)
    #expect(try lines(rows) == original && lines(target) == original)
    // And the chain goes on in each.
    var continued = try #require(try audit().records().first { $0.kind == .administration })
    _ = try continued.append([entry("in the table")])
    var copy = try AuditFile(.administration, folder: back.path)
    _ = try copy.append([entry("in the file")])
    #expect(try check().problems == [] && check().lineCount == 24)
    let verified = try AuditVerification(.administration, folder: back.path).check()
    #expect(verified.problems == [] && verified.lineCount == 24)
  }
}

/// A connection whose commits can have an unknown outcome.
private final class UncertainConnection: SQLConnection {
  private let connection: PostgresConnection
  /// What becomes of the next commit, whose answer is lost; `nil`: it is not lost.
  var keepsNext: Bool?

  init(_ connection: PostgresConnection) { self.connection = connection }

  func prepare(_ sql: String) throws(SQLError) -> any SQLStatement { try connection.prepare(sql) }
  func execute(_ sql: String) throws(SQLError) {
    guard sql == "COMMIT", let keeps = keepsNext else { return try connection.execute(sql) }
    keepsNext = nil
    if keeps { try connection.execute(sql) } else { connection.abandon() }
    throw SQLError(.uncertain, "the answer was lost")
  }
  var interruption: any SQLInterruption { connection.interruption }
  var insertions: InsertionQueue? { connection.insertions }
  func abandon() { connection.abandon() }
}
#endif
