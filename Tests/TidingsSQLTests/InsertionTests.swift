internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsSQL

/// Rows that are queued and inserted together: no statement shows that they were.
@Suite struct InsertionTests {
  /// A connection with the tables `a` and `b`, of numbers and names.
  private struct World {
    let database: TestDatabase
    let connection: any SQLConnection
    let a: SQLInsertion
    let b: SQLInsertion

    init(_ driver: Driver) throws {
      database = try driver.makeDatabase()
      connection = try database.writer()
      for table in ["a", "b"] {
        try connection.execute(
          "CREATE TABLE \(table) (n BIGINT PRIMARY KEY, name \(driver.types.text))"
        )
      }
      a = SQLInsertion(into: "a", ["n", "name"], findsRows: true, on: connection)
      b = SQLInsertion(into: "b", ["n", "name"], on: connection)
    }

    func add(_ number: Int64, _ name: String? = "x", to insertion: SQLInsertion) throws(SQLError) {
      insertion.bind(number, at: 1)
      if let name {
        insertion.bind(name, at: 2)
      } else {
        insertion.bindNull(of: .text, at: 2)
      }
      try insertion.add()
    }

    func numbers(_ table: String = "a") throws -> [Int64] {
      try connection.numbers("SELECT n FROM \(table) ORDER BY n")
    }
  }

  @Test(
    "what reads or changes the table meets the rows that were added before",
    arguments: Driver.available
  )
  func isMet(driver: Driver) throws {
    let world = try World(driver)
    let (a, connection) = (world.a, world.connection)
    try connection.execute("BEGIN")
    try world.add(1, nil, to: a)
    #expect(a.count == 1)
    #expect(try world.numbers("b") == [] && a.count == 1)
    #expect(try world.numbers() == [1] && a.count == 0)
    try world.add(2, "two", to: a)
    let join = "SELECT y.name FROM A y LEFT JOIN b x ON x.n = y.n WHERE y.n = 2"
    #expect(try connection.texts(join) == ["two"])
    try world.add(3, to: a)
    let change = try connection.prepare("UPDATE \"a\" SET name = 'new' WHERE n >= ?1")
    change.bind(3 as Int64, at: 1)
    try change.run()
    try world.add(4, to: a)
    change.bind(4 as Int64, at: 1)
    try change.run()
    try world.add(5, to: a)
    try connection.execute("DELETE FROM a WHERE n = 5")
    try world.add(6, to: a)
    try connection.execute("COMMIT")
    #expect(
      try world.database.reader().texts("SELECT coalesce(name, '-') FROM a ORDER BY n")
        == ["-", "two", "new", "new", "x"]
    )
  }

  @Test("any number of rows, large ones among them, are committed", arguments: Driver.available)
  func counts(driver: Driver) throws {
    let world = try World(driver)
    let commit = try world.connection.prepare("COMMIT")
    for count in [1, 2, 15, 16, 17, 31, 45] {
      try world.connection.execute("DELETE FROM a; DELETE FROM b")
      try world.connection.execute("BEGIN")
      for number in 0..<Int64(count) {
        try world.add(number, to: world.a)
        let isLarge = number % 5 == 3
        try world.add(number, String(repeating: "ä", count: isLarge ? 5_000 : 5), to: world.b)
      }
      try commit.run()
      let all = Array(0..<Int64(count))
      #expect(try world.numbers() == all && world.numbers("b") == all)
      #expect(
        try world.connection.numbers("SELECT length(name) FROM b ORDER BY n")
          == all.map { $0 % 5 == 3 ? 5_000 : 5 }
      )
    }
    // Outside of a transaction there is nothing to wait for.
    try world.add(100, to: world.a)
    #expect(try world.database.reader().numbers("SELECT max(n) FROM a") == [100])
  }

  @Test(
    "a half bound row is not disturbed by a statement before it is added",
    arguments: Driver.available
  )
  func halfBound(driver: Driver) throws {
    let world = try World(driver)
    try world.connection.execute("BEGIN")
    try world.add(1, "one", to: world.a)
    world.a.bind(2, at: 1)
    #expect(try world.numbers() == [1])
    world.a.bind("two", at: 2)
    try world.a.add()
    #expect(try world.connection.texts("SELECT name FROM a ORDER BY n") == ["one", "two"])
    try world.connection.execute("COMMIT")
  }

  @Test("a rollback discards the rows that were added since", arguments: Driver.available)
  func rollback(driver: Driver) throws {
    let world = try World(driver)
    let connection = world.connection
    try connection.execute("BEGIN")
    try world.add(1, to: world.a)
    connection.abandon()
    #expect(try world.numbers() == [])
    let ends = [try connection.prepare("ROLLBACK"), nil]
    for end in ends {
      try connection.execute("BEGIN")
      try world.add(2, to: world.a)
      if let end { try end.run() } else { try connection.execute("ROLLBACK") }
      #expect(try world.numbers() == [])
    }
    try connection.execute("BEGIN")
    try world.add(3, to: world.a)
    try connection.execute("SAVEPOINT s")
    try world.add(4, to: world.a)
    try connection.execute("ROLLBACK TO s")
    try world.add(5, to: world.a)
    try connection.execute("RELEASE s")
    try world.add(6, to: world.a)
    try connection.execute("COMMIT")
    #expect(try world.numbers() == [3, 5, 6])
  }

  @Test(
    "a row that cannot be inserted fails the transaction, whatever comes next",
    arguments: Driver.available
  )
  func failure(driver: Driver) throws {
    let world = try World(driver)
    let connection = world.connection
    try world.add(1, to: world.a)
    let nexts: [(World) throws -> Void] = [
      { _ = try $0.numbers() },
      { try $0.connection.execute("COMMIT") },
      { try $0.connection.prepare("COMMIT").run() },
      { try $0.connection.execute("SAVEPOINT s; RELEASE s") },
      { world in
        try world.connection.insertions?.flush()
        try world.connection.execute("COMMIT")
      },
      { world in
        for number in 10..<Int64(30) { try world.add(number, to: world.a) }
        _ = try world.numbers()
      },
    ]
    for (index, next) in nexts.enumerated() {
      try connection.execute("BEGIN")
      try world.add(2, to: world.a)
      try world.add(1, to: world.a)
      do {
        try next(world)
        Issue.record("\(index): two rows have one key")
      } catch let error as SQLError {
        #expect(error.kind == .statement, "\(index)")
        if driver == .sqlite { #expect(error.isDeferred, "\(index)") }
      }
      // And again, until it is rolled back.
      #expect(throws: SQLError.self) {
        try world.add(3, to: world.a)
        try connection.execute("COMMIT")
      }
      connection.abandon()
      #expect(try world.numbers() == [1], "\(index)")
    }
    try connection.execute("BEGIN")
    try world.add(2, to: world.a)
    try connection.execute("COMMIT")
    #expect(try world.numbers() == [1, 2])
  }

  @Test("rows of a transaction that the database has rolled back are not written alone")
  func rolledBackByDatabase() throws {
    let world = try World(.sqlite)
    try world.connection.execute("BEGIN")
    try world.add(1, to: world.a)
    #expect(throws: SQLError.self) {
      // As a full disk does.
      try world.connection.prepare("INSERT OR ROLLBACK INTO b VALUES (1, 'x'), (1, 'y')").run()
    }
    #expect(throws: SQLError.self) {
      try world.add(2, to: world.a)
      _ = try world.numbers()
    }
    world.connection.abandon()
    #expect(try world.numbers() == [])
  }

  @Test("a statement besides an insertion runs without its rows", arguments: Driver.available)
  func besides(driver: Driver) throws {
    let world = try World(driver)
    let find = try world.connection.prepare(
      "SELECT name FROM a WHERE n = ?1 AND name = ?2",
      besides: world.a
    )
    func found(_ number: Int64, _ name: String) throws -> Bool {
      if world.a.mayHold(number, name) { try world.a.flush() }
      find.bind(number, at: 1)
      find.bind(name, at: 2)
      defer { find.reset() }
      return try find.step()
    }
    try world.connection.execute("BEGIN")
    try world.add(1, "one", to: world.a)
    try world.add(2, "a name of some length", to: world.a)
    #expect(try !found(1, "two") && !found(2, "a name of some lengt") && world.a.count == 2)
    #expect(try found(2, "a name of some length") && world.a.count == 0)
    #expect(try found(1, "one"))
    try world.connection.execute("COMMIT")
  }

  @Test("an insertion that is gone does not lose rows in silence")
  func gone() throws {
    let world = try World(.sqlite)
    try world.connection.execute("BEGIN")
    do {
      let other = SQLInsertion(into: "b", ["n", "name"], on: world.connection)
      try world.add(1, to: other)
    }
    #expect(throws: SQLError.self) { try world.connection.execute("COMMIT") }
    world.connection.abandon()
    #expect(try world.numbers("b") == [])
  }

  @Test("random statements find what a model has", arguments: Driver.available)
  func model(driver: Driver) throws {
    let seed = Seed.make("insertions")
    var random = SplitMix64(seed: seed)
    let world = try World(driver)
    var (rows, committed): ([String: [Int64: String]], [String: [Int64: String]])
    (rows, committed) = (["a": [:], "b": [:]], ["a": [:], "b": [:]])
    try world.connection.execute("BEGIN")
    let updates = try ["a", "b"].map {
      try world.connection.prepare("UPDATE \($0) SET name = ?2 WHERE n = ?1")
    }
    for step in 0..<1_500 {
      let index = Int.random(in: 0...1, using: &random)
      let table = ["a", "b"][index]
      let number = Int64.random(in: 0..<200, using: &random)
      switch Int.random(in: 0..<40, using: &random) {
      case 0..<30:
        guard rows[table]?[number] == nil else { continue }
        try world.add(number, "new \(step)", to: index == 0 ? world.a : world.b)
        rows[table]?[number] = "new \(step)"
      case 30..<32:
        updates[index].bind(number, at: 1)
        updates[index].bind("changed \(step)", at: 2)
        try updates[index].run()
        if rows[table]?[number] != nil { rows[table]?[number] = "changed \(step)" }
      case 32..<35:
        let range = number...number + 9
        try world.connection.execute(
          "DELETE FROM \(table) WHERE n BETWEEN \(number) AND \(range.upperBound)"
        )
        rows[table] = rows[table]?.filter { !range.contains($0.key) }
      case 35..<38:
        let found = try world.connection.texts("SELECT name FROM \(table) WHERE n = \(number)")
        #expect(found == (rows[table]?[number]).map { [$0] } ?? [], "seed \(seed), step \(step)")
      case 38:
        try world.connection.execute("COMMIT")
        committed = rows
        try world.connection.execute("BEGIN")
      default:
        world.connection.abandon()
        rows = committed
        try world.connection.execute("BEGIN")
      }
    }
    try world.connection.execute("COMMIT")
    for table in ["a", "b"] {
      let expected = (rows[table] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
      let found = try world.database.reader().texts("SELECT name FROM \(table) ORDER BY n")
      #expect(found == expected, "seed \(seed)")
    }
  }
}
