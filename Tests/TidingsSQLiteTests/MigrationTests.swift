internal import TestSupport
internal import Testing
internal import TidingsSQL
internal import TidingsSQLite

@testable internal import TidingsEngine

@Suite struct MigrationTests {
  private let folder: TemporaryFolder
  private static let steps = [
    Migration(number: 1, name: "first", sql: "CREATE TABLE a (n); INSERT INTO a VALUES (1);"),
    Migration(
      number: 2,
      name: "second",
      sql: "ALTER TABLE a ADD COLUMN m; UPDATE a SET m = n + 1;"
    ),
  ]

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> SQLiteConnection {
    try SQLiteConnection(path: folder.file("db"))
  }

  private func numbers(_ connection: SQLiteConnection, _ sql: String) throws -> [Int64] {
    let statement = try connection.prepare(sql)
    var numbers: [Int64] = []
    try statement.forEachRow { numbers.append(statement.int64(0)) }
    return numbers
  }

  @Test("steps run once, in order, and only those that the database has not seen")
  func stepByStep() throws {
    try open().migrate(Array(Self.steps.prefix(1)))
    let connection = try open()
    try connection.migrate(Self.steps)
    try connection.migrate(Self.steps)
    #expect(try numbers(connection, "SELECT m FROM a") == [2])
    #expect(try numbers(connection, "SELECT number FROM migrations") == [1, 2])
  }

  @Test("a database of a newer version is refused, with both versions")
  func newer() throws {
    let connection = try open()
    try connection.migrate(Self.steps)
    do {
      try connection.migrate(Array(Self.steps.prefix(1)))
      Issue.record("the newer database was accepted")
    } catch {
      #expect("\(error)".contains("schema 2") && "\(error)".contains("knows 1"))
      #expect(error is MigrationError)
    }
  }

  @Test("a step that fails leaves nothing behind")
  func failing() throws {
    let connection = try open()
    let broken = Migration(number: 2, name: "broken", sql: "CREATE TABLE b (n); NONSENSE;")
    #expect(throws: SQLError.self) { try connection.migrate([Self.steps[0], broken]) }
    #expect(try numbers(connection, "SELECT number FROM migrations") == [1])
    try connection.migrate(Self.steps)
    #expect(try numbers(connection, "SELECT m FROM a") == [2])
  }

  @Test("the numbers of the store's steps ascend from 1, and the steps run on an empty database")
  func store() throws {
    let numbers = Migration.store.map(\.number)
    #expect(numbers.first == 1 && numbers == Set(numbers).sorted())
    let connection = try open()
    try connection.migrate(Migration.store)
    #expect(try self.numbers(connection, "SELECT count(*) FROM records") == [0])
  }
}
