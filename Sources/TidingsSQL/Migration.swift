/// One numbered, forward-only step of a database's schema.
public struct Migration: Sendable {
  /// Steps run in the order of their numbers, from 1 on.
  public let number: Int64
  /// What it does, in a few words.
  public let name: String
  /// The statements, in the shared dialect.
  public let sql: String
  /// What PostgreSQL runs after them.
  public let postgresSQL: String

  /// A step.
  ///
  /// - Parameters:
  ///   - number: Its number, above those of all earlier steps.
  ///   - name: What it does.
  ///   - sql: The statements.
  ///   - postgresSQL: What PostgreSQL runs after them.
  public init(number: Int64, name: String, sql: String, postgresSQL: String = "") {
    self.number = number
    self.name = name
    self.sql = sql
    self.postgresSQL = postgresSQL
  }
}

/// A database that this program cannot use as it is.
public struct MigrationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong and what to do.
  public let description: String

  /// An error in words.
  public init(_ description: String) { self.description = description }
}

extension SQLConnection {
  /// Brings the schema up to date: each step that this database has not seen is a transaction.
  ///
  /// - Parameter migrations: All steps, their numbers ascending.
  /// - Throws: `MigrationError` when the database was written by a newer program; `SQLError`.
  public func migrate(_ migrations: [Migration]) throws {
    try execute(
      """
      CREATE TABLE IF NOT EXISTS migrations (
        number BIGINT PRIMARY KEY NOT NULL,
        name TEXT NOT NULL
      )
      """
    )
    let newest = try prepare("SELECT coalesce(max(number), 0) FROM migrations")
    _ = try newest.step()
    let done = newest.int64(0)
    newest.reset()

    let known = migrations.last?.number ?? 0
    guard done <= known else {
      throw MigrationError(
        "the data was written by a newer version (schema \(done); this program knows "
          + "\(known)): start that version, or restore a backup made by this one"
      )
    }
    let record = try prepare("INSERT INTO migrations (number, name) VALUES (?1, ?2)")
    for migration in migrations where migration.number > done {
      try execute("BEGIN IMMEDIATE")
      do {
        try execute(migration.sql)
        record.bind(migration.number, at: 1)
        record.bind(migration.name, at: 2)
        try record.run()
        try execute("COMMIT")
      } catch {
        try? execute("ROLLBACK")
        throw error
      }
    }
  }
}
