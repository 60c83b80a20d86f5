internal import TestSupport
internal import Testing
internal import TidingsSQL

/// Transactions, savepoints, failures, and what other connections see of them.
@Suite struct TransactionTests {
  private func makeTable(_ database: TestDatabase) throws -> any SQLConnection {
    let connection = try database.writer()
    try connection.execute("CREATE TABLE t (n BIGINT PRIMARY KEY)")
    return connection
  }

  private func insert(_ number: Int64, _ connection: any SQLConnection) throws {
    let insert = try connection.prepare("INSERT INTO t VALUES (?1)")
    insert.bind(number, at: 1)
    try insert.run()
  }

  private func numbers(_ connection: any SQLConnection) throws -> [Int64] {
    try connection.numbers("SELECT n FROM t ORDER BY n")
  }

  @Test("what is committed stays, what is rolled back does not", arguments: Driver.available)
  func commitAndRollback(driver: Driver) throws {
    let database = try driver.makeDatabase()
    let connection = try makeTable(database)
    let (begin, commit) = (try connection.prepare("BEGIN"), try connection.prepare("COMMIT"))
    try begin.run()
    try insert(1, connection)
    try commit.run()
    try connection.execute("BEGIN IMMEDIATE")
    try insert(2, connection)
    #expect(try numbers(connection) == [1, 2])
    try connection.execute("ROLLBACK")
    try begin.run()
    try insert(3, connection)
    connection.abandon()
    // Nothing is open now.
    connection.abandon()
    try insert(4, connection)
    #expect(try numbers(database.reader()) == [1, 4])
  }

  @Test("a savepoint is released or rolled back, also after a failure", arguments: Driver.available)
  func savepoints(driver: Driver) throws {
    let connection = try makeTable(try driver.makeDatabase())
    try connection.execute("BEGIN")
    try insert(1, connection)
    try connection.execute("SAVEPOINT a")
    try insert(2, connection)
    try connection.execute("RELEASE a")
    try connection.execute("SAVEPOINT b")
    try insert(3, connection)
    try connection.execute("ROLLBACK TO b")
    try connection.execute("SAVEPOINT c")
    #expect(throws: (any Error).self) {
      try insert(1, connection)
      try connection.execute("RELEASE c")
    }
    try connection.execute("ROLLBACK TO c")
    try insert(4, connection)
    try connection.execute("COMMIT")
    #expect(try numbers(connection) == [1, 2, 4])
  }

  @Test(
    "a violated constraint fails the transaction at the latest when it is committed",
    arguments: Driver.available
  )
  func uniqueViolation(driver: Driver) throws {
    let connection = try makeTable(try driver.makeDatabase())
    try insert(1, connection)
    do {
      try insert(1, connection)
      Issue.record("two rows have one key")
    } catch {
      let error = try #require(error as? SQLError)
      #expect(error.kind == .statement && (driver == .sqlite || error.state == "23505"))
    }
    for endsWithRead in [false, true] {
      try connection.execute("BEGIN")
      var failure: SQLError?
      do {
        try insert(2, connection)
        try insert(1, connection)
        if endsWithRead { _ = try numbers(connection) }
        try insert(3, connection)
        try connection.execute("COMMIT")
      } catch {
        failure = error as? SQLError
      }
      #expect(failure?.kind == .statement)
      connection.abandon()
      #expect(try numbers(connection) == [1])
    }
    // Fit for the next one.
    try connection.execute("BEGIN")
    try insert(5, connection)
    try connection.execute("COMMIT")
    #expect(try numbers(connection) == [1, 5])
  }

  @Test("statements that fail are fit for their next use", arguments: Driver.available)
  func failingStatements(driver: Driver) throws {
    let connection = try makeTable(try driver.makeDatabase())
    for sql in ["NONSENSE", "SELECT nothing FROM t", "SELECT n FROM nowhere"] {
      for _ in 0..<2 {
        do {
          let statement = try connection.prepare(sql)
          _ = try statement.step()
          Issue.record("'\(sql)' was executed")
        } catch {
          #expect(error.kind == .statement)
        }
      }
    }
    #expect(throws: SQLError.self) { try connection.execute("INSERT INTO t VALUES (9); NONSENSE") }
    try connection.execute("DELETE FROM t")
    let divide = try connection.prepare("INSERT INTO t VALUES (?1)")
    divide.bind(1 as Int64, at: 1)
    try divide.run()
    for _ in 0..<3 {
      #expect(throws: SQLError.self) { try divide.run() }
      divide.bind(1 as Int64, at: 1)
    }
    divide.bind(2 as Int64, at: 1)
    try divide.run()
    #expect(try numbers(connection) == [1, 2])
  }

  @Test(
    "readers keep their snapshot while another connection commits, and cannot write",
    arguments: Driver.available
  )
  func snapshots(driver: Driver) throws {
    let database = try driver.makeDatabase()
    let writer = try makeTable(database)
    try insert(1, writer)
    let readers = try (0..<4).map { _ in try database.reader() }
    for reader in readers {
      try reader.execute("BEGIN")
      #expect(try numbers(reader) == [1])
    }
    for number in 2...5 as ClosedRange<Int64> {
      try writer.execute("BEGIN")
      try insert(number, writer)
      #expect(try numbers(readers[0]) == [1])
      try writer.execute("COMMIT")
      // A snapshot that begins after a commit contains it.
      try readers[3].execute("COMMIT")
      try readers[3].execute("BEGIN")
      #expect(try numbers(readers[3]) == Array(1...number))
    }
    for reader in readers.dropLast() {
      #expect(try numbers(reader) == [1])
      try reader.execute("COMMIT")
      #expect(try numbers(reader) == [1, 2, 3, 4, 5])
      try reader.execute("BEGIN")
      #expect(throws: (any Error).self) {
        try insert(6, reader)
        try reader.execute("COMMIT")
      }
      reader.abandon()
    }
    #expect(try numbers(writer) == [1, 2, 3, 4, 5])
  }

  @Test(
    "several connections read at once, each on a thread of its own",
    arguments: Driver.available
  )
  func concurrentReaders(driver: Driver) async throws {
    let database = try driver.makeDatabase()
    let writer = try makeTable(database)
    let addresses = Isolated(try (0..<4).map { _ in try database.reader() })
    try insert(0, writer)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<4 {
        group.addTask {
          let reader = addresses.value[index]
          var last = 0
          for _ in 0..<50 {
            try reader.execute("BEGIN")
            let (first, second) = (try numbers(reader).count, try numbers(reader).count)
            #expect(first == second && first >= last)
            last = first
            try reader.execute("COMMIT")
          }
        }
      }
      for number in 1..<60 as Range<Int64> { try insert(number, writer) }
      try await group.waitForAll()
    }
  }

  /// Unchecked: each element is used by one task.
  private struct Isolated<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  @Test("migrations run once, and one that fails leaves nothing behind", arguments: [Driver.sqlite])
  func migrations(driver: Driver) throws {
    let connection = try driver.makeDatabase().writer()
    let first = Migration(
      number: 1,
      name: "first",
      sql: "CREATE TABLE a (n BIGINT); INSERT INTO a VALUES (1);"
    )
    let broken = Migration(number: 2, name: "broken", sql: "CREATE TABLE b (n BIGINT); NONSENSE;")
    try connection.migrate([first])
    #expect(throws: SQLError.self) { try connection.migrate([first, broken]) }
    try connection.migrate([first])
    #expect(try connection.numbers("SELECT n FROM a") == [1])
    #expect(throws: (any Error).self) { try connection.numbers("SELECT n FROM b") }
  }
}
