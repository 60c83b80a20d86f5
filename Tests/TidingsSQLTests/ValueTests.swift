internal import TestSupport
internal import Testing
internal import TidingsSQL

/// Values come back from every driver as they were bound.
@Suite struct ValueTests {
  private static let numbers: [Int64] = [
    0, 1, -1, 255, -256, 1 << 31, -(1 << 31) - 1, 1 << 61, -1 << 61,
  ]
  private static let texts = [
    "", "a", "\u{1F608}", "e\u{301}", "\u{1}\u{7f}\n\t", "'\"\\$1?1;--", "\u{FFFF}\u{10FFFF}",
    String(repeating: "ä", count: 40_000),
  ]
  private static let blobs: [[UInt8]] = [
    [], [0], [0, 255], Array("\\x41".utf8), [UInt8](repeating: 0, count: 70_000), Array(0...255),
  ]

  private func makeTable(_ driver: Driver) throws -> any SQLConnection {
    let connection = try driver.makeDatabase().writer()
    let (integer, bytes, text) = driver.types
    try connection.execute(
      "CREATE TABLE t (n \(integer), s \(text), b \(bytes), x \(integer), y \(text), z \(bytes))"
    )
    return connection
  }

  @Test("values of all types come back, empty and null included", arguments: Driver.available)
  func roundTrip(driver: Driver) throws {
    let connection = try makeTable(driver)
    let insert = try connection.prepare(
      "INSERT INTO t VALUES (?1, ?2, ?3, NULL, ?4, ?5) RETURNING n, s, b, x, y, z"
    )
    for index in 0..<max(Self.numbers.count, Self.texts.count) {
      let number = Self.numbers[index % Self.numbers.count]
      let text = Self.texts[index % Self.texts.count]
      let bytes = Self.blobs[index % Self.blobs.count]
      insert.bind(number, at: 1)
      insert.bind(text, at: 2)
      insert.bind(bytes, at: 3)
      insert.bind(nil as String?, at: 4)
      insert.bindNull(at: 5)
      #expect(try insert.step())
      #expect(insert.int64(0) == number && insert.string(1) == text && insert.bytes(2) == bytes)
      #expect(!insert.isNull(0) && !insert.isNull(1) && !insert.isNull(2))
      for column in 3...5 {
        #expect(insert.isNull(column) && insert.bytes(column).isEmpty)
        #expect(insert.int64(column) == 0 && insert.string(column) == "")
      }
      #expect(try !insert.step())
      insert.reset()
    }
  }

  @Test("numbers beyond all counters are cut", arguments: Driver.available)
  func extremes(driver: Driver) throws {
    let connection = try makeTable(driver)
    let insert = try connection.prepare("INSERT INTO t (n) VALUES (?1)")
    for number in [Int64.min, .max] {
      insert.bind(number, at: 1)
      try insert.run()
    }
    #expect(try connection.numbers("SELECT n FROM t ORDER BY n") == [-1 << 61, 1 << 61])
  }

  @Test("a parameter takes null and a value in turn", arguments: Driver.available)
  func nullInTurn(driver: Driver) throws {
    let connection = try makeTable(driver)
    let insert = try connection.prepare("INSERT INTO t (n, s, b) VALUES (?1, ?2, ?3)")
    for round in 0..<4 as Range<Int64> {
      insert.bind(round % 2 == 0 ? nil : round, at: 1)
      insert.bind(round % 2 == 1 ? nil : "\(round)", at: 2)
      if round < 2 { insert.bindNull(at: 3) } else { insert.bind([1] as [UInt8], at: 3) }
      try insert.run()
    }
    #expect(try connection.numbers("SELECT n FROM t WHERE n IS NOT NULL ORDER BY n") == [1, 3])
    #expect(try connection.texts("SELECT s FROM t WHERE s IS NOT NULL ORDER BY s") == ["0", "2"])
    #expect(try connection.numbers("SELECT count(*) FROM t WHERE b IS NULL") == [2])
  }

  @Test("values that a statement only selects keep their types", arguments: Driver.available)
  func selected(driver: Driver) throws {
    let connection = try makeTable(driver)
    let select = try connection.prepare("SELECT ?1, ?2, ?3, x'00ff', 7, 'text'")
    select.bind(-5 as Int64, at: 1)
    select.bind("12", at: 2)
    select.bind([0, 1] as [UInt8], at: 3)
    try select.forEachRow {
      #expect(select.int64(0) == -5 && select.string(1) == "12" && select.bytes(2) == [0, 1])
      #expect(select.bytes(3) == [0, 255] && select.int64(4) == 7 && select.string(5) == "text")
    }
  }

  @Test(
    "an optional condition, and a parameter that the statement does not use",
    arguments: Driver.available
  )
  func untypedParameters(driver: Driver) throws {
    let connection = try makeTable(driver)
    try connection.execute("INSERT INTO t (n) VALUES (1), (2)")
    let select = try connection.prepare(
      "SELECT n FROM t WHERE (?1 IS NULL OR n = ?1) AND n < ?3 ORDER BY n"
    )
    select.bind(100 as Int64, at: 3)
    for (wanted, expected) in [(2, [2]), (nil, [1, 2]), (1, [1])] as [(Int64?, [Int64])] {
      select.bind(wanted, at: 1)
      var found: [Int64] = []
      try select.forEachRow { found.append(select.int64(0)) }
      #expect(found == expected)
    }
  }

  @Test("sums, counts, comparisons and averages are numbers", arguments: Driver.available)
  func computed(driver: Driver) throws {
    let connection = try makeTable(driver)
    try connection.execute("INSERT INTO t (n) VALUES (1), (-20000), (300000000)")
    #expect(try connection.numbers("SELECT sum(n) FROM t") == [299_980_001])
    #expect(try connection.numbers("SELECT sum(n) * -1000000 FROM t") == [-299_980_001_000_000])
    #expect(try connection.numbers("SELECT count(*) FROM t") == [3])
    #expect(try connection.numbers("SELECT n > 0 FROM t ORDER BY n") == [0, 1, 1])
    #expect(try connection.numbers("SELECT EXISTS (SELECT 1 FROM t)") == [1])
    #expect(try connection.numbers("SELECT max(n, 0, 5) FROM t ORDER BY n") == [5, 5, 300_000_000])
    #expect(try connection.numbers("SELECT min(n, 0) FROM t ORDER BY n") == [-20_000, 0, 0])
    #expect(try connection.numbers("SELECT coalesce(sum(n), 0) FROM t WHERE n > 1000000000") == [0])
    #expect(try connection.texts("SELECT n FROM t WHERE n = 1") == ["1"])
  }

  @Test("text is ordered and compared by its bytes", arguments: Driver.available)
  func order(driver: Driver) throws {
    let connection = try makeTable(driver)
    let insert = try connection.prepare("INSERT INTO t (s) VALUES (?1)")
    let texts = [
      "a", "B", "b", "A", "é", "e\u{301}", "z", "_", "a b", "ab", "-a", "\u{10000}", "\u{FFFD}",
    ]
    for text in texts {
      insert.bind(text, at: 1)
      try insert.run()
    }
    let expected = texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let ordered = try connection.texts("SELECT s FROM t ORDER BY s")
    #expect(ordered.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
    let after = try connection.prepare("SELECT count(*) FROM t WHERE s > ?1")
    for (index, text) in expected.enumerated() {
      after.bind(text, at: 1)
      #expect(try after.step())
      #expect(after.int64(0) == Int64(expected.count - index - 1))
      after.reset()
    }
  }

  @Test(
    "U+0000 in text is stored or refused, and a refusal spoils nothing",
    arguments: Driver.available
  )
  func zeroCharacter(driver: Driver) throws {
    let connection = try makeTable(driver)
    try connection.execute("BEGIN")
    let insert = try connection.prepare("INSERT INTO t (n, s) VALUES (?1, ?2)")
    insert.bind(1 as Int64, at: 1)
    insert.bind("a\u{0}b", at: 2)
    do {
      try insert.run()
      #expect(driver == .sqlite)
    } catch {
      #expect(driver != .sqlite && error.kind == .statement && error.message.contains("U+0000"))
    }
    insert.bind(2 as Int64, at: 1)
    insert.bind("ab", at: 2)
    try insert.run()
    try connection.execute("COMMIT")
    #expect(try connection.texts("SELECT s FROM t WHERE n = 2") == ["ab"])
    #expect(
      try connection.texts("SELECT s FROM t WHERE n = 1") == (driver == .sqlite ? ["a\u{0}b"] : [])
    )
    // Keys that callers choose are bytes for that reason.
    let bytes = try connection.prepare("INSERT INTO t (n, b) VALUES (3, ?1) RETURNING b")
    bytes.bind(Array("a\u{0}b".utf8), at: 1)
    #expect(try bytes.step())
    #expect(bytes.bytes(0) == Array("a\u{0}b".utf8))
  }
}
