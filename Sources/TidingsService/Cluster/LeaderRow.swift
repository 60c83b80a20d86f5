internal import TidingsPostgres
internal import TidingsSQL

/// Who leads, as the database says: the row that whoever takes the session lock replaces, the last commit of its term, and the
/// data format, to which a node that leads has brought the database.
struct LeaderRow: Equatable, Sendable {
  /// Each leader's is higher than those before.
  var term: Int64
  var name: String
  /// Where the leader is called.
  var endpoint: String
  /// The number of the last commit of its term.
  var commit: Int64
  /// The last commit.
  var mark: CommitMark { CommitMark(term: term, number: commit) }
  /// As long as it changes, the leader is alive.
  var beat: Int64
  /// The data format of the database.
  var format: Int64

  /// The row; `nil`: nobody has led yet.
  ///
  /// - Throws: `SQLError`.
  static func read(_ connection: any SQLConnection) throws(SQLError) -> LeaderRow? {
    let select = try connection.prepare(
      """
      SELECT l.term, l.name, l.endpoint, coalesce(c.number, 0), l.beat,
        (SELECT coalesce(max(number), 0) FROM migrations)
      FROM leader l LEFT JOIN commits c ON c.term = l.term WHERE l.id = 1
      """
    )
    defer { select.reset() }
    guard try select.step() else { return nil }
    return LeaderRow(
      term: select.int64(0),
      name: select.string(1),
      endpoint: select.string(2),
      commit: select.int64(3),
      beat: select.int64(4),
      format: select.int64(5)
    )
  }

  /// Makes a node the leader, in the open transaction.
  ///
  /// - Parameters:
  ///   - node: The node.
  ///   - term: The number of its term.
  ///   - connection: The database.
  /// - Throws: `SQLError`.
  static func write(
    _ node: NodeIdentity,
    term: Int64,
    _ connection: any SQLConnection
  ) throws(SQLError) {
    let insert = try connection.prepare(
      """
      INSERT INTO leader (id, term, name, endpoint, beat) VALUES (1, ?1, ?2, ?3, 0)
      ON CONFLICT (id) DO UPDATE SET term = excluded.term, name = excluded.name, endpoint = excluded.endpoint
      """
    )
    insert.bind(term, at: 1)
    insert.bind(node.name, at: 2)
    insert.bind(node.rpcEndpoint, at: 3)
    try insert.run()
  }
}

#if PostgreSQL
extension LeaderRow {
  /// Makes a node the leader that cannot be called yet: it starts.
  ///
  /// - Parameters:
  ///   - name: The node's name.
  ///   - connection: The database, which it has taken.
  /// - Returns: Its term; `nil`: the database has no tables yet.
  /// - Throws: `SQLError`.
  static func announce(
    _ name: String,
    _ connection: PostgresConnection
  ) throws(SQLError) -> Int64? {
    let hasTables = try connection.tables().contains { $0.name == "leader" }
    guard hasTables, let term = connection.term else { return nil }
    try connection.execute("BEGIN")
    do throws(SQLError) {
      try write(
        NodeIdentity(name: name, rpcEndpoint: "", pushEndpoint: ""),
        term: term,
        connection
      )
      try connection.execute("COMMIT")
    } catch {
      connection.abandon()
      throw error
    }
    return term
  }
}
#endif
