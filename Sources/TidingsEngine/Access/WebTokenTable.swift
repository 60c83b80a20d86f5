internal import TidingsModel
internal import TidingsSQL

/// The rows of web credentials.
final class WebTokenTable {
  private let insert: any SQLStatement
  private let renew: any SQLStatement
  private let revoke: any SQLStatement
  private let selectAll: any SQLStatement
  private let selectPage: any SQLStatement
  private let selectOfKind: any SQLStatement
  private let selectOfUser: any SQLStatement
  private let selectSubscribed: any SQLStatement

  private static let columns = """
    id, kind, hash, "user", container, environment, label, origins, callback_url, api_token,
      public_key, is_kept, previous_hash, previous_ends, previous_ends_nanos, created,
      created_nanos, expires, expires_nanos, revoked, revoked_nanos
    """

  init(_ connection: any SQLConnection) throws {
    insert = try connection.prepare(
      """
      INSERT INTO web_tokens (kind, hash, "user", container, environment, label, origins,
        callback_url, api_token, public_key, is_kept, created, created_nanos, expires, expires_nanos)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15) RETURNING id
      """
    )
    renew = try connection.prepare(
      """
      UPDATE web_tokens SET hash = ?2, previous_hash = ?3, previous_ends = ?4,
        previous_ends_nanos = ?5, expires = ?6, expires_nanos = ?7
      WHERE id = ?1
      """
    )
    revoke = try connection.prepare(
      """
      UPDATE web_tokens SET revoked = ?2, revoked_nanos = ?3, expires = ?4, expires_nanos = ?5
      WHERE id = ?1
      """
    )
    selectAll = try connection.prepare(
      "SELECT \(Self.columns) FROM web_tokens WHERE id > ?1 ORDER BY id",
      inPagesBy: PageKey(.integer(1, column: 0))
    )
    selectAll.bind(0, at: 1)
    selectPage = try connection.prepare(
      "SELECT \(Self.columns) FROM web_tokens WHERE id > ?1 ORDER BY id LIMIT ?2"
    )
    selectOfKind = try connection.prepare(
      "SELECT \(Self.columns) FROM web_tokens WHERE id > ?1 AND kind = ?3 ORDER BY id LIMIT ?2"
    )
    selectOfUser = try connection.prepare(
      """
      SELECT \(Self.columns) FROM web_tokens WHERE id > ?1 AND "user" = ?3 ORDER BY id LIMIT ?2
      """
    )
    selectSubscribed = try connection.prepare(
      """
      SELECT DISTINCT container, environment FROM subscriptions
      WHERE owner = ?1 AND ended IS NULL
      """
    )
  }

  /// Adds a credential; returns its ID, whatever `id` it had.
  func insert(_ token: WebToken) throws -> Int64 {
    insert.bind(token.kind.rawValue, at: 1)
    insert.bind(token.hash.bytes, at: 2)
    insert.bind(token.user, at: 3)
    insert.bind(token.container, at: 4)
    insert.bind(Int64(token.environment.rawValue), at: 5)
    insert.bind(token.label, at: 6)
    insert.bind(token.origins.joined(separator: " "), at: 7)
    insert.bind(token.callbackURL, at: 8)
    insert.bind(token.apiToken, at: 9)
    insert.bind(token.publicKey, at: 10)
    insert.bind(token.isKept ? 1 : 0, at: 11)
    insert.bind(token.created, at: 12, nanos: 13)
    insert.bind(token.expires, at: 14, nanos: 15)
    var id: Int64 = 0
    try insert.forEachRow { id = insert.int64(0) }
    return id
  }

  /// Writes the hashes and the expiry of a session.
  func renew(_ token: WebToken) throws {
    renew.bind(token.id, at: 1)
    renew.bind(token.hash.bytes, at: 2)
    if let previous = token.previous {
      renew.bind(previous.hash.bytes, at: 3)
    } else {
      renew.bindNull(of: .bytes, at: 3)
    }
    renew.bind(token.previous?.ends, at: 4, nanos: 5)
    renew.bind(token.expires, at: 6, nanos: 7)
    try renew.run()
  }

  /// Writes since when a credential is revoked, and its expiry.
  func revoke(_ token: WebToken) throws {
    revoke.bind(token.id, at: 1)
    revoke.bind(token.revoked, at: 2, nanos: 3)
    revoke.bind(token.expires, at: 4, nanos: 5)
    try revoke.run()
  }

  /// Where a user has subscriptions.
  func subscribed(_ user: String) throws -> [ChangedSubscriber] {
    var containers: [ChangedSubscriber] = []
    selectSubscribed.bind(user, at: 1)
    try selectSubscribed.forEachRow {
      let number = Int32(truncatingIfNeeded: selectSubscribed.int64(1))
      guard let environment = Environment(rawValue: number) else { return }
      containers.append(
        .init(user: user, container: selectSubscribed.string(0), environment: environment)
      )
    }
    return containers
  }

  /// Passes all of them to a closure.
  func readAll(_ body: (WebToken) -> Void) throws {
    try selectAll.forEachRow { if let token = token(selectAll) { body(token) } }
  }

  /// Those with a greater ID, sorted by it.
  ///
  /// - Parameters:
  ///   - id: The last one of the page before.
  ///   - kind: Only of this kind; `nil`: all.
  ///   - user: Only this user's; empty: all.
  ///   - limit: Most rows that are read.
  /// - Returns: The rows, some of which may be of another kind if `user` is given.
  /// - Throws: `SQLError`.
  func page(
    after id: Int64,
    kind: WebToken.Kind?,
    user: String,
    limit: Int
  ) throws -> [WebToken] {
    let select: any SQLStatement
    if !user.isEmpty {
      select = selectOfUser
      select.bind(user, at: 3)
    } else if let kind {
      select = selectOfKind
      select.bind(kind.rawValue, at: 3)
    } else {
      select = selectPage
    }
    select.bind(id, at: 1)
    select.bind(Int64(limit), at: 2)
    var tokens: [WebToken] = []
    try select.forEachRow { if let token = token(select) { tokens.append(token) } }
    return tokens
  }

  /// The row that a statement is at; `nil`: it is damaged.
  private func token(_ row: any SQLStatement) -> WebToken? {
    guard let kind = WebToken.Kind(rawValue: row.int64(1)), let hash = WebTokenHash(row.bytes(2)),
      let environment = Environment(rawValue: Int32(truncatingIfNeeded: row.int64(5)))
    else { return nil }
    var token = WebToken(
      id: row.int64(0),
      kind: kind,
      user: row.string(3),
      container: row.string(4),
      environment: environment,
      created: row.time(15, nanos: 16),
      hash: hash
    )
    token.label = row.string(6)
    token.origins = row.string(7).split(separator: " ").map(String.init)
    token.callbackURL = row.string(8)
    token.apiToken = row.int64(9)
    token.publicKey = row.bytes(10)
    token.isKept = row.int64(11) != 0
    if !row.isNull(12), let hash = WebTokenHash(row.bytes(12)),
      let ends = row.timestamp(13, nanos: 14)
    {
      token.previous = .init(hash: hash, ends: ends)
    }
    token.expires = row.timestamp(17, nanos: 18)
    token.revoked = row.timestamp(19, nanos: 20)
    return token
  }
}
