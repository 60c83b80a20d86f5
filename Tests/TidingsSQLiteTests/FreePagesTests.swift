internal import Foundation
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsSQL
internal import TidingsSQLite

/// Free pages are given back to the file system.
@Suite struct FreePagesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ name: String = "db") throws -> SQLiteConnection {
    try SQLiteConnection(path: folder.file(name), cacheBytes: 1 << 16)
  }

  private func size(_ name: String = "db") throws -> Int {
    try FileManager.default.attributesOfItem(atPath: folder.file(name))[.size] as? Int ?? 0
  }

  /// Rows of up to 20,000 bytes, of which the first ones are removed.
  private func fill(_ connection: SQLiteConnection, _ random: inout SplitMix64) throws {
    try connection.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, b BLOB)")
    let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2)")
    try connection.execute("BEGIN")
    for number in 0..<800 {
      insert.bind(Int64(number), at: 1)
      insert.bind(random.bytes(random.below(20_000)), at: 2)
      try insert.run()
    }
    try connection.execute("COMMIT; BEGIN; DELETE FROM t WHERE n < 600; COMMIT")
  }

  private func content(_ connection: SQLiteConnection) throws -> [Int64: [UInt8]] {
    let select = try connection.prepare("SELECT n, b FROM t")
    var content: [Int64: [UInt8]] = [:]
    try select.forEachRow { content[select.int64(0)] = select.bytes(1) }
    return content
  }

  private func releaseAll(_ connection: SQLiteConnection, _ pages: FreePages) throws {
    try blockUntil("the last free page to be given back", pausing: .zero) {
      guard try pages.count() > 0 else { return true }
      let before = try pages.pageCount()
      try connection.execute("BEGIN")
      try pages.releasePiece()
      try connection.execute("COMMIT")
      let released = try before - pages.pageCount()
      #expect((1...FreePages.pieceMax + 2).contains(released))
      return false
    }
  }

  @Test("the file shrinks piece by piece, and holds what it held", arguments: 0..<3)
  func shrinks(_ run: Int) throws {
    let seed = Seed.make("freePages")
    var random = SplitMix64(seed: seed)
    let writer = try open()
    try fill(writer, &random)
    try writer.moveWholeLog()
    let (before, expected) = (try size(), try content(writer))
    let pages = try FreePages(writer)
    #expect(pages.canRelease)
    try releaseAll(writer, pages)
    try writer.moveWholeLog()
    #expect(try size() < before / 2, "seed \(seed)")
    #expect(try size() == pages.pageCount() * pages.pageBytes)
    #expect(try content(writer) == expected, "seed \(seed)")
    try writer.check(thorough: true)
  }

  @Test("pages that are being copied are not cut off before they were read")
  func frozen() throws {
    let seed = Seed.make("freePagesFrozen")
    var random = SplitMix64(seed: seed)
    let writer = try open()
    try fill(writer, &random)
    let expected = try content(writer)
    let checkpointer = Checkpointer(
      path: folder.file("db"),
      thresholds: LogThresholds(bytesMax: 1 << 28)
    )
    defer { checkpointer.stop() }
    let frozen = try checkpointer.freeze()
    var copy = try #require(try frozen.next(10)).bytes
    try releaseAll(writer, try FreePages(writer))
    try writer.moveWholeLog()
    while let run = try frozen.next(50) {
      #expect(run.damaged.isEmpty, "seed \(seed)")
      copy += run.bytes
    }
    frozen.close()
    try folder.write(copy, to: "copy")
    let copied = try open("copy")
    try copied.check(thorough: true)
    #expect(try content(copied) == expected, "seed \(seed)")
    // The next time the log is moved, the file is cut.
    try writer.execute("DELETE FROM t WHERE n = 799")
    try writer.moveWholeLog()
    #expect(try size() < copy.count / 2)
  }

  @Test("a database of an earlier version keeps its free pages until it is compacted")
  func earlierVersion() throws {
    let seed = Seed.make("freePagesEarlier")
    var random = SplitMix64(seed: seed)
    var expected: [Int64: [UInt8]] = [:]
    do {
      let writer = try open()
      try fill(writer, &random)
      expected = try content(writer)
      // As it was created before.
      try writer.execute("PRAGMA auto_vacuum = NONE; VACUUM")
      try writer.execute("BEGIN; DELETE FROM t WHERE n < 700; COMMIT")
      expected = expected.filter { $0.key >= 700 }
      let pages = try FreePages(writer)
      #expect(!pages.canRelease)
      let before = try pages.pageCount()
      try writer.execute("BEGIN")
      try pages.releasePiece()
      try writer.execute("COMMIT")
      #expect(try pages.pageCount() == before && pages.count() > 0)
      writer.setMovesLogOnClose(true)
    }
    let before = try size()
    try SQLiteConnection.compact(folder.file("db"))
    #expect(try size() < before)
    let writer = try open()
    let pages = try FreePages(writer)
    #expect(try pages.canRelease && pages.count() == 0)
    #expect(try content(writer) == expected, "seed \(seed)")
    try writer.check(thorough: true)
    #expect(try folder.contents("").keys.allSatisfy { $0.hasPrefix("db") && $0 != "db-sealed" })
  }
}
