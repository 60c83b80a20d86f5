internal import Foundation
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsSQL
internal import TidingsSQLite

/// A copy of the pages is the database as of one moment, whatever is written meanwhile.
@Suite struct FrozenPagesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ name: String = "db") throws -> SQLiteConnection {
    try SQLiteConnection(path: folder.file(name), cacheBytes: 1 << 16)
  }

  private func content(_ connection: SQLiteConnection) throws -> [Int64: Int64] {
    let select = try connection.prepare("SELECT n, v FROM t")
    var content: [Int64: Int64] = [:]
    try select.forEachRow { content[select.int64(0)] = select.int64(1) }
    return content
  }

  private func write(_ connection: SQLiteConnection, _ random: inout SplitMix64) throws {
    let upsert = try connection.prepare(
      "INSERT INTO t VALUES (?1, ?2, ?3) ON CONFLICT (n) DO UPDATE SET v = excluded.v, b = excluded.b"
    )
    try connection.execute("BEGIN IMMEDIATE")
    for _ in 0..<random.below(40) {
      upsert.bind(Int64(random.below(2_000)), at: 1)
      upsert.bind(Int64(random.below(1_000_000)), at: 2)
      upsert.bind(random.bytes(random.below(400)), at: 3)
      try upsert.run()
    }
    try connection.execute("COMMIT")
  }

  @Test("copies among random writes and checkpoints", arguments: 0..<5)
  func copies(_ run: Int) throws {
    let seed = Seed.make("frozenCopies")
    var random = SplitMix64(seed: seed)
    let writer = try open()
    try writer.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, v INTEGER, b BLOB)")
    for _ in 0..<60 { try write(writer, &random) }
    let checkpointer = Checkpointer(
      path: folder.file("db"),
      thresholds: LogThresholds(bytesMax: 1 << 28)
    )
    defer { checkpointer.stop() }
    for round in 0..<3 {
      let expected = try content(writer)
      let frozen = try checkpointer.freeze()
      #expect(throws: SQLError.self) { try checkpointer.freeze() }
      var copy: [UInt8] = []
      while true {
        for _ in 0..<random.below(3) { try write(writer, &random) }
        if random.oneIn(3) { _ = try writer.checkpoint() }
        guard let run = try frozen.next(1 + random.below(20)) else { break }
        #expect(run.damaged.isEmpty, "seed \(seed)")
        #expect((run.first - 1) * frozen.pageBytes == copy.count, "seed \(seed)")
        copy += run.bytes
      }
      frozen.close()
      #expect(copy.count == frozen.pageBytes * frozen.pageCount)
      try folder.write(copy, to: "copy\(round)")
      let copied = try open("copy\(round)")
      try copied.check(thorough: true)
      let isSame = try content(copied) == expected
      #expect(isSame, "seed \(seed): round \(round)")
    }
    #expect(try !folder.contents("").keys.contains("db-frozen"))
  }

  @Test("all that was committed before is in the copy, though a snapshot is open meanwhile")
  func openSnapshot() async throws {
    let writer = try open()
    try writer.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, v INTEGER, b BLOB)")
    let checkpointer = Checkpointer(
      path: folder.file("db"),
      thresholds: LogThresholds(bytesMax: 1 << 28),
      snapshotPatience: .milliseconds(10)
    )
    defer { checkpointer.stop() }
    let path = folder.file("db")
    let isReading = Observed(false)
    Thread.detachNewThread {
      checkpointer.gate.enter()
      defer { checkpointer.gate.leave() }
      do {
        let reader = try SQLiteConnection(path: path)
        try reader.execute("BEGIN")
        try reader.prepare("SELECT count(*) FROM t").run()
        isReading.update { $0 = true }
        // The snapshot goes on until it is asked to end.
        try blockUntil("the snapshot to be asked to end") { checkpointer.gate.mustEnd }
        try reader.execute("COMMIT")
      } catch {
        Issue.record("\(error)")
        isReading.update { $0 = true }
      }
    }
    try await isReading.wait("the snapshot") { $0 }
    try writer.execute("INSERT INTO t VALUES (1, 2, NULL)")
    let frozen = try await blocking { try checkpointer.freeze() }
    var copy: [UInt8] = []
    while let run = try frozen.next(100) { copy += run.bytes }
    try folder.write(copy, to: "copy")
    #expect(try content(try open("copy")) == [1: 2])
  }
}
