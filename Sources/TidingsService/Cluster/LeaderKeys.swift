internal import TidingsKeys
internal import TidingsPostgres
internal import TidingsSQL

/// The public keys that the node which leads proves itself with, as the database says.
///
/// Nodes call each other with the server's key. One that leads with another key could be called by nobody, and the
/// others would wait for it as long as it lives; so it neither leads nor follows.
struct LeaderKeys: Sendable {
  /// Those of this node: its key, and the one that replaces it; empty: it does not authenticate anybody.
  let own: Set<PublicKey>

  /// Notes the keys of this node, which leads, instead of earlier ones, in the open transaction.
  ///
  /// - Throws: `SQLError`.
  func write(_ connection: any SQLConnection) throws(SQLError) {
    try connection.execute("DELETE FROM leader_keys")
    let insert = try connection.prepare("INSERT INTO leader_keys (key) VALUES (?1)")
    for key in own {
      insert.bind(key.description, at: 1)
      try insert.run()
    }
  }
}

#if PostgreSQL
extension LeaderKeys {
  /// Compares the keys of this node with those in the database.
  ///
  /// - Parameter connection: The database, with or without tables.
  /// - Returns: Why this node must not serve it; `nil`: it may.
  /// - Throws: `SQLError`.
  func refusal(_ connection: PostgresConnection) throws(SQLError) -> String? {
    guard try connection.tables().contains(where: { $0.name == "leader_keys" }) else { return nil }
    let select = try connection.prepare("SELECT key FROM leader_keys")
    defer { select.reset() }
    var keys: [String] = []
    while try select.step() { keys.append(select.string(0)) }
    guard !keys.isEmpty, own.allSatisfy({ !keys.contains($0.description) }) else { return nil }
    let having =
      own.isEmpty ? "has none" : "has \(own.map(\.description).sorted().joined(separator: ", "))"
    let others = keys.sorted().joined(separator: ", ")
    return
      "the nodes of the database have the server key \(others), and this one \(having): copy their server.key into its data folder; if that key is lost, end all "
      + "nodes and DELETE FROM leader_keys"
  }
}
#endif
