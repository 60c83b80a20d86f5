internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsSQL

/// A statement whose rows a driver may read in pages returns the same rows as one that it reads at once.
@Suite struct PageTests {
  /// Rows with all kinds of keys: numbers, bytes, and names behind which others begin with them.
  private func makeTable(_ driver: Driver, rows: Int) throws -> any SQLConnection {
    let connection = try driver.makeDatabase().writer()
    let types = driver.types
    try connection.execute(
      "CREATE TABLE t (n BIGINT, b \(types.bytes), s \(types.text), body \(types.bytes))"
    )
    try connection.execute("BEGIN")
    let insert = try connection.prepare("INSERT INTO t VALUES (?1, ?2, ?3, ?4)")
    for number in 0..<rows {
      insert.bind(Int64(number / 3), at: 1)
      insert.bind([UInt8(number / 100), 0, 0xff], at: 2)
      insert.bind("s" + String(repeating: "é", count: number % 100), at: 3)
      insert.bind([UInt8](repeating: UInt8(number & 0xff), count: number % 11), at: 4)
      try insert.run()
    }
    try connection.execute("COMMIT")
    return connection
  }

  private func rows(_ statement: any SQLStatement, max: Int = .max) throws -> [String] {
    var rows: [String] = []
    defer { statement.reset() }
    while rows.count < max, try statement.step() {
      rows.append("\(statement.int64(0)) \(statement.string(2)) \(statement.bytes(3))")
    }
    return rows
  }

  @Test(
    "all rows come, each once, from any position on, whatever was read before",
    arguments: Driver.available,
    [0, 1, 63, 64, 65, 128, 300]
  )
  func complete(driver: Driver, count: Int) throws {
    let connection = try makeTable(driver, rows: count)
    let sql = "SELECT n, b, s, body FROM t WHERE (n, s) > (?1, ?2) ORDER BY n, s"
    let paged = try connection.prepare(
      sql,
      inPagesBy: PageKey(.integer(1, column: 0), .text(2, column: 2))
    )
    let whole = try connection.prepare(sql)
    let seed = Seed.make("PageTests.complete")
    var random = SplitMix64(seed: seed)
    for _ in 0..<20 {
      let start = Int64(random.below(count / 3 + 2)) - 1
      for statement in [paged, whole] {
        statement.bind(start, at: 1)
        statement.bind("s", at: 2)
      }
      let max = random.pick([1, 64, 70, 1_000])
      let found = try rows(paged, max: max)
      #expect(try found == rows(whole, max: max), "seed \(seed)")
      // Bound values stay bound, also those that moved with the pages.
      #expect(try rows(paged) == rows(whole), "seed \(seed)")
    }
  }

  @Test(
    "a statement that begins at its position returns each row once",
    arguments: Driver.available
  )
  func inclusive(driver: Driver) throws {
    let connection = try makeTable(driver, rows: 250)
    let sql = "SELECT n, b, s, body FROM t WHERE (b, s) >= (?1, ?2) ORDER BY b, s"
    let paged = try connection.prepare(
      sql,
      inPagesBy: PageKey(.bytes(1, column: 1), .text(2, column: 2), isInclusive: true)
    )
    let whole = try connection.prepare(sql)
    for (bytes, text) in [([], ""), ([1, 0, 0xff], "sé"), ([3], "")] as [([UInt8], String)] {
      for statement in [paged, whole] {
        statement.bind(bytes, at: 1)
        statement.bind(text, at: 2)
      }
      #expect(try rows(paged) == rows(whole))
    }
  }

  @Test("several are read at the same time", arguments: Driver.available)
  func interleaved(driver: Driver) throws {
    let connection = try makeTable(driver, rows: 300)
    let statements = try (0..<3).map { _ in
      try connection.prepare(
        "SELECT n, b, s, body FROM t WHERE (n, s) > (?1, ?2) ORDER BY n, s",
        inPagesBy: PageKey(.integer(1, column: 0), .text(2, column: 2))
      )
    }
    for (number, statement) in statements.enumerated() {
      statement.bind(Int64(number * 10), at: 1)
      statement.bind("", at: 2)
    }
    var found = [0, 0, 0]
    var isMoving = true
    while isMoving {
      isMoving = false
      for (number, statement) in statements.enumerated() where found[number] >= 0 {
        if try statement.step() {
          found[number] += 1
          isMoving = true
        } else {
          #expect(found[number] == 300 - 30 * number)
          found[number] = -1
        }
      }
    }
  }
}
