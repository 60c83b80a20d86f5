internal import Foundation
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsSQL
internal import TidingsSQLite

/// What is read is what was written, or an error.
@Suite struct PageChecksumTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> SQLiteConnection {
    try SQLiteConnection(path: folder.file("db"), cacheBytes: 1 << 16)
  }

  private func fill(_ connection: SQLiteConnection, _ random: inout SplitMix64) throws {
    try connection.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, b BLOB, s TEXT)")
    try connection.execute("CREATE INDEX t_by_text ON t (s)")
    let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2, ?3)")
    // One transaction: each page is in the log once.
    try connection.execute("BEGIN")
    for number in 0..<200 {
      insert.bind(Int64(number), at: 1)
      insert.bind(random.bytes(number % 40 == 0 ? 9_000 : random.below(300)), at: 2)
      insert.bind(random.bytes(8).map { String($0, radix: 16) }.joined(), at: 3)
      try insert.run()
    }
    try connection.execute("COMMIT")
  }

  private func rows(_ connection: SQLiteConnection) throws -> [String] {
    var rows: [String] = []
    for order in ["n", "s"] {
      let select = try connection.prepare("SELECT n, b, s FROM t ORDER BY \(order)")
      try select.forEachRow {
        rows.append("\(select.int64(0)) \(select.bytes(1)) \(select.string(2))")
      }
    }
    return rows
  }

  @Test("a bit that flips in the database file is found by whoever reads the page")
  func flippedBits() throws {
    let seed = Seed.make("flippedBits")
    var random = SplitMix64(seed: seed)
    do {
      let connection = try open()
      connection.setMovesLogOnClose(true)
      try fill(connection, &random)
    }
    let expected = try rows(try open())
    let sound = try folder.read("db")
    var foundCount = 0
    for _ in 0..<60 {
      var bytes = sound
      let position = random.below(bytes.count)
      bytes[position] ^= 1 << UInt8(random.below(8))
      try folder.write(bytes, to: "db")
      do {
        let connection = try open()
        try connection.check(thorough: true)
        let isSame = try rows(connection) == expected
        #expect(isSame, "seed \(seed): byte \(position) passed for the truth")
      } catch {
        let kind = (error as? SQLError)?.kind
        #expect(kind == .damaged, "seed \(seed): byte \(position): \(error)")
        foundCount += 1
      }
    }
    // All pages of this database are in use.
    #expect(foundCount == 60, "seed \(seed)")
  }

  @Test("a bit that flips in the log is found while it is read, and does not get into the file")
  func flippedLog() throws {
    let seed = Seed.make("flippedLog")
    var random = SplitMix64(seed: seed)
    let writer = try open()
    try fill(writer, &random)
    let expected = try rows(writer)
    let log = try #require(FileHandle(forUpdatingAtPath: folder.file("db-wal")))
    let size = try log.seekToEnd()
    var foundCount = 0
    for _ in 0..<15 {
      let position = 32 + UInt64(random.below(Int(size) - 32))
      // The headers of frames are read by recovery alone.
      guard (position - 32) % 4120 >= 24 else { continue }
      try flip(position, in: log)
      defer { try? flip(position, in: log) }
      do {
        let isSame = try rows(try open()) == expected
        #expect(isSame, "seed \(seed): byte \(position) passed for the truth")
      } catch {
        #expect((error as? SQLError)?.kind == .damaged, "seed \(seed): \(error)")
        foundCount += 1
        #expect(throws: SQLError.self) { try open().checkpoint() }
      }
    }
    #expect(foundCount > 0, "seed \(seed)")
    let (frames, moved) = try writer.checkpoint()
    #expect(frames == moved)
    #expect(try rows(try open()) == expected)
    try open().check(thorough: true)
  }

  private func flip(_ position: UInt64, in file: FileHandle) throws {
    try file.seek(toOffset: position)
    let byte = try #require(try file.read(upToCount: 1)?.first)
    try file.seek(toOffset: position)
    try file.write(contentsOf: [byte ^ 0x10])
  }

  @Test("a database of an earlier version gets checksums and keeps its content")
  func earlierVersion() throws {
    var random = SplitMix64(seed: 7)
    let process = Process()
    let python = try #require(Executable.path("python3"), "python3 is not installed")
    process.executableURL = URL(fileURLWithPath: python)
    // Python's own SQLite knows nothing of this project's VFS.
    process.arguments = [
      "-c",
      """
      import sqlite3, sys
      c = sqlite3.connect(sys.argv[1], isolation_level=None)
      c.execute("PRAGMA journal_mode = WAL")
      c.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, b BLOB, s TEXT)")
      for n in range(500): c.execute("INSERT INTO t VALUES (?, ?, ?)", (n, bytes([n % 256] * 200), str(n)))
      """, folder.file("db"),
    ]
    try process.run()
    process.waitUntilExit()
    let expected = try rows(try open())
    #expect(expected.count == 1000)
    #expect(try SQLiteConnection.addPageChecksums(to: folder.file("db")))
    #expect(try rows(try open()) == expected)
    try open().check(thorough: true)
    #expect(try !SQLiteConnection.addPageChecksums(to: folder.file("db")))
    var bytes = try folder.read("db")
    bytes[5000 + random.below(bytes.count - 5000)] ^= 1
    try folder.write(bytes, to: "db")
    #expect(throws: SQLError.self) {
      let connection = try open()
      try connection.check(thorough: true)
      _ = try rows(connection)
    }
  }
}
