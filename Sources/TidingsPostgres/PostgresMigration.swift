#if PostgreSQL
public import TidingsSQL

extension PostgresConnection {
  /// The number of the lock that migrations hold, so that of several programs that start one migrates.
  private static let lock: Int64 = 0x7469_6469_6e67_7301

  /// Brings the schema up to date: the steps that the database has not seen are one transaction.
  ///
  /// - Parameter migrations: All steps, their numbers ascending.
  /// - Throws: `MigrationError` when the database was written by a newer program, or holds tables of another
  ///   one; `SQLError`.
  public func migrate(_ migrations: [Migration]) throws {
    try execute("BEGIN")
    do {
      let lock = try prepare("SELECT pg_advisory_xact_lock(?1)")
      lock.bind(Self.lock, at: 1)
      try lock.run()
      try bringUpToDate(migrations)
      try execute("COMMIT")
    } catch {
      abandon()
      throw error
    }
  }

  private func bringUpToDate(_ migrations: [Migration]) throws {
    let known = migrations.last?.number ?? 0
    let done = try dataFormat() ?? 0
    if done == 0 {
      try refuseOtherTables()
      try execute(
        """
        CREATE TABLE migrations (number BIGINT PRIMARY KEY, name TEXT NOT NULL);
        CREATE TABLE commits (term BIGINT PRIMARY KEY, number BIGINT NOT NULL);
        CREATE TABLE leader (
          id BIGINT PRIMARY KEY, term BIGINT NOT NULL, name TEXT NOT NULL, endpoint TEXT NOT NULL, beat BIGINT NOT NULL
        );
        CREATE TABLE leader_keys (key TEXT PRIMARY KEY);
        """
      )
    }
    guard done <= known else {
      throw MigrationError(
        "the database was written by a newer version (schema \(done); this program knows \(known)): "
          + "start that version, or restore a backup made by this one"
      )
    }
    for migration in migrations where migration.number > done { try run(migration) }
  }

  /// The number of the newest step that the database has seen; `nil`: it is new.
  ///
  /// - Throws: `SQLError`.
  public func dataFormat() throws(SQLError) -> Int64? {
    let table = try prepare("SELECT to_regclass('migrations') IS NOT NULL")
    defer { table.reset() }
    guard try table.step(), table.int64(0) == 1 else { return nil }
    let newest = try prepare("SELECT max(number) FROM migrations")
    defer { newest.reset() }
    return try newest.step() ? newest.int64(0) : nil
  }

  private func run(_ migration: Migration) throws {
    try execute(migration.sql)
    try execute(migration.postgresSQL)
    let record = try prepare("INSERT INTO migrations (number, name) VALUES (?1, ?2)")
    record.bind(migration.number, at: 1)
    record.bind(migration.name, at: 2)
    try record.run()
  }

  private func refuseOtherTables() throws {
    let other = try prepare(
      """
      SELECT relname FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm') LIMIT 1
      """
    )
    defer { other.reset() }
    guard try other.step() else { return }
    throw MigrationError(
      "the database holds '\(other.string(0))', which is not a table of rpcd: use an empty database"
    )
  }
}
#endif
