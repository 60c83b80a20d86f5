internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsSQL

/// Statements are used again and again, many at the same time, whatever happened before.
@Suite struct StatementTests {
  private func makeTable(_ driver: Driver, rows: Int = 0) throws -> any SQLConnection {
    let connection = try driver.makeDatabase().writer()
    try connection.execute("CREATE TABLE t (n BIGINT PRIMARY KEY, m BIGINT)")
    try connection.execute("BEGIN")
    let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2)")
    for number in 0..<Int64(rows) {
      insert.bind(number, at: 1)
      insert.bind(number % 7, at: 2)
      try insert.run()
    }
    try connection.execute("COMMIT")
    return connection
  }

  @Test("bound values stay bound, and rows end", arguments: Driver.available)
  func reuse(driver: Driver) throws {
    let connection = try makeTable(driver, rows: 10)
    let select = try connection.prepare("SELECT n FROM t WHERE n >= ?1 AND n < ?2 ORDER BY n")
    select.bind(3 as Int64, at: 1)
    select.bind(5 as Int64, at: 2)
    for _ in 0..<3 {
      var found: [Int64] = []
      try select.forEachRow { found.append(select.int64(0)) }
      #expect(found == [3, 4])
    }
    select.bind(9 as Int64, at: 2)
    #expect(try select.step())
    // Binding resets what is under way.
    select.bind(8 as Int64, at: 1)
    #expect(try select.step())
    #expect(select.int64(0) == 8)
    #expect(try !select.step())
  }

  @Test("statements interleave, also with writes", arguments: Driver.available)
  func interleaved(driver: Driver) throws {
    let connection = try makeTable(driver, rows: 70)
    try connection.execute("BEGIN")
    let outer = try connection.prepare("SELECT n FROM t ORDER BY n")
    let inner = try connection.prepare("SELECT m FROM t WHERE n = ?1")
    let update = try connection.prepare("UPDATE t SET m = m + 100 WHERE n = ?1")
    var visited = 0
    try outer.forEachRow {
      let number = outer.int64(0)
      inner.bind(number, at: 1)
      #expect(try inner.step())
      #expect(inner.int64(0) == number % 7)
      update.bind(number, at: 1)
      try update.run()
      // Reads see the writes before them.
      inner.reset()
      #expect(try inner.step())
      #expect(inner.int64(0) == number % 7 + 100)
      visited += 1
    }
    #expect(visited == 70)
    try connection.execute("COMMIT")
    #expect(try connection.numbers("SELECT count(*) FROM t WHERE m >= 100") == [70])
  }

  @Test("64 statements are under way at once", arguments: Driver.available)
  func manyUnderWay(driver: Driver) throws {
    let connection = try makeTable(driver, rows: 200)
    try connection.execute("BEGIN")
    let statements = try (0..<64).map { _ in
      try connection.prepare("SELECT n FROM t WHERE n >= ?1 ORDER BY n")
    }
    for (index, statement) in statements.enumerated() { statement.bind(Int64(index), at: 1) }
    for round in 0..<100 {
      for (index, statement) in statements.enumerated() {
        #expect(try statement.step())
        #expect(statement.int64(0) == Int64(index + round))
      }
    }
    for statement in statements { statement.reset() }
    try connection.execute("COMMIT")
  }

  @Test("keyset pages read everything once", arguments: Driver.available)
  func pages(driver: Driver) throws {
    let connection = try makeTable(driver, rows: 1_000)
    let page = try connection.prepare("SELECT n FROM t WHERE n > ?1 ORDER BY n LIMIT ?2")
    page.bind(256 as Int64, at: 2)
    var (found, last, rows) = ([Int64](), -1 as Int64, 0)
    repeat {
      page.bind(last, at: 1)
      rows = 0
      try page.forEachRow {
        found.append(page.int64(0))
        rows += 1
      }
      last = found.last ?? last
    } while rows == 256
    #expect(found == Array(0..<1_000))
  }

  @Test("thousands of writes in one transaction", arguments: Driver.available)
  func manyWrites(driver: Driver) throws {
    let connection = try makeTable(driver, rows: 5_000)
    #expect(try connection.numbers("SELECT count(*) FROM t") == [5_000])
    #expect(try connection.numbers("SELECT sum(n) FROM t") == [12_497_500])
  }

  @Test("large values in one transaction", arguments: Driver.available)
  func largeWrites(driver: Driver) throws {
    let connection = try driver.makeDatabase().writer()
    try connection.execute("CREATE TABLE b (n BIGINT PRIMARY KEY, b \(driver.types.bytes))")
    try connection.execute("BEGIN")
    let insert = try connection.prepare("INSERT INTO b VALUES (?1, ?2) RETURNING b")
    let write = try connection.prepare("UPDATE b SET b = ?2 WHERE n = ?1")
    for number in 0..<12 as Range<Int64> {
      insert.bind(number, at: 1)
      insert.bind([UInt8](repeating: UInt8(number), count: 1 << 20), at: 2)
      // Both sides have full buffers: neither may wait for the other.
      try insert.run()
      write.bind(number, at: 1)
      write.bind([UInt8](repeating: UInt8(number + 1), count: 1 << 20), at: 2)
      try write.run()
    }
    try connection.execute("COMMIT")
    let select = try connection.prepare("SELECT n, b FROM b ORDER BY n")
    var count = 0
    try select.forEachRow {
      let expected = UInt8(select.int64(0) + 1)
      select.withBytes(1) { bytes in
        #expect(bytes.count == 1 << 20 && bytes.allSatisfy { $0 == expected })
      }
      count += 1
    }
    #expect(count == 12)
  }

  @Test(
    "statements that nobody uses any more are dropped, others work on",
    arguments: Driver.available
  )
  func dropped(driver: Driver) throws {
    let connection = try makeTable(driver, rows: 3)
    let kept = try connection.prepare("SELECT n FROM t WHERE n = ?1")
    for round in 0..<30 as Range<Int64> {
      try connection.execute("BEGIN")
      #expect(try connection.numbers("SELECT n + \(round) FROM t WHERE n = 1") == [round + 1])
      kept.bind(round % 3, at: 1)
      #expect(try kept.step())
      try connection.execute("COMMIT")
    }
    if driver != .sqlite {
      #expect(try connection.numbers("SELECT count(*) FROM pg_prepared_statements")[0] < 8)
    }
  }

  @Test(
    "statements of one text have values of their own, and are prepared once",
    arguments: Driver.available
  )
  func shared(driver: Driver) throws {
    let connection = try makeTable(driver, rows: 3)
    let text = "SELECT n FROM t WHERE n >= ?1 ORDER BY n"
    let kept = try connection.prepare(text)
    for _ in 0..<3 {
      try connection.execute("BEGIN")
      let other = try connection.prepare(text)
      kept.bind(1 as Int64, at: 1)
      other.bind(2 as Int64, at: 1)
      try connection.readAhead([kept, other])
      var found: [[Int64]] = []
      for statement in [kept, other] {
        var values: [Int64] = []
        try statement.forEachRow { values.append(statement.int64(0)) }
        found.append(values)
      }
      #expect(found == [[1, 2], [2]])
      try connection.execute("COMMIT")
    }
    if driver != .sqlite {
      let prepared =
        "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'SELECT n FROM t%'"
      #expect(try connection.numbers(prepared) == [1])
    }
  }

  @Test("upserts and RETURNING", arguments: Driver.available)
  func upserts(driver: Driver) throws {
    let connection = try makeTable(driver, rows: 2)
    let upsert = try connection.prepare(
      "INSERT INTO t AS old VALUES (?1, ?2) ON CONFLICT (n) DO UPDATE SET m = old.m + excluded.m RETURNING m"
    )
    for (number, expected) in [(1, 11), (1, 21), (5, 10), (5, 20)] as [(Int64, Int64)] {
      upsert.bind(number, at: 1)
      upsert.bind(10 as Int64, at: 2)
      #expect(try upsert.step())
      #expect(upsert.int64(0) == expected)
      upsert.reset()
    }
  }

  @Test(
    "a statement that takes long is interrupted from another thread",
    arguments: Driver.available
  )
  func interrupted(driver: Driver) throws {
    let connection = try makeTable(driver, rows: 3)
    #expect(try connection.numbers("SELECT count(*) FROM t") == [3])
    let interruption = connection.interruption
    let isDone = Observed(false)
    let done = DispatchSemaphore(value: 0)
    // Again and again: the first one may come before the statement runs.
    Thread.detachNewThread {
      while !isDone.value {
        interruption.interrupt()
        // A pause, in which the statement may begin.
        usleep(20_000)
      }
      done.signal()
    }
    let endless = try connection.prepare(
      """
      WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 2000000000)
      SELECT count(*) FROM c
      """
    )
    do throws(SQLError) {
      _ = try endless.step()
      Issue.record("it was not interrupted")
    } catch {
      #expect(error.kind == .interrupted)
    }
    isDone.update { $0 = true }
    done.wait()
    endless.reset()
    connection.abandon()
    // An interruption that came late may meet the next statement.
    _ = try? connection.numbers("SELECT count(*) FROM t")
    #expect(try connection.numbers("SELECT count(*) FROM t") == [3])
  }
}
