internal import TestSupport
internal import Testing
internal import TidingsSQL
internal import TidingsSQLite

@Suite struct SQLiteConnectionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> SQLiteConnection {
    try SQLiteConnection(path: folder.file("db"))
  }

  private func number(_ connection: SQLiteConnection, _ sql: String) throws -> Int64 {
    let statement = try connection.prepare(sql)
    defer { statement.reset() }
    #expect(try statement.step())
    return statement.int64(0)
  }

  @Test("values of all types come back, U+0000, empty and null included")
  func values() throws {
    let connection = try open()
    try connection.execute("CREATE TABLE t (n, s, b, e, x)")
    let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2, ?3, ?4, ?5)")
    let select = try connection.prepare("SELECT * FROM t")
    for number in [0, -1, 1 << 61, -1 << 61] as [Int64] {
      try connection.execute("DELETE FROM t")
      insert.bind(number, at: 1)
      insert.bind("a\u{0}\u{1F608}", at: 2)
      insert.bind([0, 255] as [UInt8], at: 3)
      insert.bind([] as [UInt8], at: 4)
      insert.bindNull(at: 5)
      try insert.run()
      var rows = 0
      try select.forEachRow {
        rows += 1
        #expect(select.int64(0) == number && select.string(1) == "a\u{0}\u{1F608}")
        #expect(select.bytes(2) == [0, 255] && select.bytes(3) == [])
        #expect(!select.isNull(3) && select.isNull(4))
      }
      #expect(rows == 1)
    }
  }

  @Test("errors say what kind they are")
  func errors() throws {
    let connection = try open()
    #expect(throws: SQLError.self) { try connection.execute("NONSENSE") }
    do {
      try connection.execute("NONSENSE")
    } catch {
      #expect(error.kind == .statement)
    }
    try folder.write([UInt8](repeating: 7, count: 5000), to: "garbage")
    do {
      _ = try SQLiteConnection(path: folder.file("garbage"))
      Issue.record("garbage was opened")
    } catch {
      #expect(error.kind == .damaged)
    }
    do {
      _ = try SQLiteConnection(path: folder.file("no/folder"))
      Issue.record("a missing folder was opened")
    } catch {
      #expect(error.kind == .storage)
    }
  }

  @Test("a checkpoint moves the log, and the next commit uses the file again")
  func checkpoint() throws {
    let connection = try open()
    try connection.execute("CREATE TABLE t (n)")
    for number in 0..<50 { try connection.execute("INSERT INTO t VALUES (\(number))") }
    let before = connection.logFrames
    #expect(before > 50)
    let (logFrames, movedFrames) = try connection.checkpoint()
    #expect(logFrames == before && movedFrames == before)
    try connection.execute("INSERT INTO t VALUES (50)")
    #expect(connection.logFrames < before)
    #expect(try number(connection, "SELECT count(*) FROM t") == 51)
  }

  @Test("the log stays beside a database that was only looked at")
  func logStays() throws {
    do {
      let connection = try open()
      try connection.execute("CREATE TABLE t (n)")
    }
    #expect(try folder.contents("").keys.contains("db-wal"))
    do {
      let connection = try open()
      connection.setMovesLogOnClose(true)
      #expect(try number(connection, "SELECT count(*) FROM t") == 0)
    }
    #expect(try !folder.contents("").keys.contains("db-wal"))
  }

  @Test("the checkpointer moves a long log by itself, and stops when asked")
  func checkpointer() throws {
    let connection = try open()
    try connection.execute("CREATE TABLE t (n)")
    let moved = Observed(0)
    let checkpointer = Checkpointer(
      path: folder.file("db"),
      thresholds: LogThresholds(bytesMax: 400_000),
      report: { _ in moved.update { $0 += 1 } }
    )
    for number in 0..<40 {
      try connection.execute("INSERT INTO t VALUES (\(number))")
      checkpointer.logGrew(to: connection.logFrames)
    }
    try blockUntil("the log to be moved", pausing: .zero) {
      guard moved.value == 0 else { return true }
      _ = checkpointer.waitForRestart(of: connection, atMost: .zero)
      return false
    }
    checkpointer.stop()
    #expect(try number(connection, "SELECT count(*) FROM t") == 40)
  }

  @Test("a check finds a page that holds something else")
  func check() throws {
    do {
      let connection = try open()
      connection.setMovesLogOnClose(true)
      try connection.execute("CREATE TABLE t (n PRIMARY KEY, s)")
      for number in 0..<300 {
        try connection.execute("INSERT INTO t VALUES (\(number), hex(randomblob(100)))")
      }
      try connection.check(thorough: true)
    }
    var bytes = try folder.read("db")
    for index in 4096 * 3..<4096 * 4 { bytes[index] = 0x5a }
    try folder.write(bytes, to: "db")
    let connection = try open()
    for isThorough in [true, false] {
      do {
        try connection.check(thorough: isThorough)
        Issue.record("the damage was not found")
      } catch {
        #expect((error as? SQLError)?.kind == .damaged)
      }
    }
  }
}
