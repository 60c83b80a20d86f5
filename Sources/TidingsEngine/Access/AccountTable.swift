internal import TidingsKeys
internal import TidingsModel
internal import TidingsSQL

/// The rows of users, their roles and their keys.
final class AccountTable {
  private let insert: any SQLStatement
  private let update: any SQLStatement
  private let select: any SQLStatement
  private let selectNames: any SQLStatement
  private let selectRoles: any SQLStatement
  private let deleteRoles: any SQLStatement
  private let insertRole: any SQLStatement
  private let insertKey: any SQLStatement
  private let updateKey: any SQLStatement
  private let revokeKey: any SQLStatement
  private let selectKey: any SQLStatement
  private let selectKeys: any SQLStatement
  private let selectRevokedKeys: any SQLStatement

  init(_ connection: any SQLConnection) throws {
    insert = try connection.prepare(
      """
      INSERT INTO accounts (user, display_name, created, created_nanos) VALUES (?1, ?2, ?3, ?4)
      """
    )
    update = try connection.prepare(
      """
      UPDATE accounts SET display_name = ?2, restricted = ?3, restricted_nanos = ?4
      WHERE user = ?1
      """
    )
    select = try connection.prepare(
      """
      SELECT display_name, created, restricted, records_max, bytes_max, calls_per_second_max,
        subscriptions_max, connections_max, created_nanos, restricted_nanos
      FROM accounts WHERE user = ?1
      """
    )
    selectNames = try connection.prepare(
      "SELECT user FROM accounts WHERE user > ?1 ORDER BY user LIMIT ?2"
    )
    selectRoles = try connection.prepare(
      "SELECT role FROM account_roles WHERE user = ?1 ORDER BY role"
    )
    deleteRoles = try connection.prepare("DELETE FROM account_roles WHERE user = ?1")
    insertRole = try connection.prepare("INSERT INTO account_roles (user, role) VALUES (?1, ?2)")
    insertKey = try connection.prepare(
      """
      INSERT INTO account_keys
        (user, public_key, label, admitted, expires, admitted_nanos, expires_nanos)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id
      """
    )
    updateKey = try connection.prepare(
      """
      UPDATE account_keys SET label = ?2, expires = ?3, expires_nanos = ?4, retired = 0
      WHERE id = ?1
      """
    )
    revokeKey = try connection.prepare(
      "UPDATE account_keys SET revoked = ?2, revoked_nanos = ?3 WHERE id = ?1"
    )
    let columns = """
      id, user, public_key, label, admitted, expires, revoked, admitted_nanos, expires_nanos,
        revoked_nanos
      """
    selectKey = try connection.prepare(
      "SELECT \(columns) FROM account_keys WHERE public_key = ?1"
    )
    selectKeys = try connection.prepare(
      """
      SELECT \(columns) FROM account_keys WHERE user = ?1 AND revoked IS NULL
      ORDER BY id LIMIT ?2
      """
    )
    selectRevokedKeys = try connection.prepare(
      """
      SELECT \(columns) FROM account_keys WHERE user = ?1 AND revoked IS NOT NULL
      ORDER BY id DESC LIMIT ?2
      """
    )
  }

  /// A key, and whose it is.
  struct KeyRow {
    /// Empty: of guests.
    var user: String
    var key: AccountKey
  }

  func insert(_ name: String, displayName: String, created: Timestamp) throws {
    insert.bind(name, at: 1)
    insert.bind(displayName, at: 2)
    insert.bind(created, at: 3, nanos: 4)
    try insert.run()
  }

  /// Writes what may change about a user, the quota aside.
  func update(_ account: Account) throws {
    update.bind(account.name, at: 1)
    update.bind(account.displayName, at: 2)
    update.bind(account.restricted, at: 3, nanos: 4)
    try update.run()
  }

  /// A user with roles and keys.
  ///
  /// - Parameters:
  ///   - name: Whom.
  ///   - keysMax: Most keys, and most revoked ones besides.
  /// - Returns: `nil` when there is no such user.
  /// - Throws: `SQLError`.
  func account(_ name: String, keysMax: Int) throws -> Account? {
    guard var account = try row(name) else { return nil }
    selectRoles.bind(name, at: 1)
    try selectRoles.forEachRow { account.roles.append(selectRoles.string(0)) }
    account.keys = try keys(of: name, max: keysMax)
    return account
  }

  /// The names of users after a name, sorted.
  func names(after name: String, limit: Int) throws -> [String] {
    var names: [String] = []
    selectNames.bind(name, at: 1)
    selectNames.bind(Int64(limit), at: 2)
    try selectNames.forEachRow { names.append(selectNames.string(0)) }
    return names
  }

  func setRoles(_ roles: [String], of name: String) throws {
    deleteRoles.bind(name, at: 1)
    try deleteRoles.run()
    for role in roles {
      insertRole.bind(name, at: 1)
      insertRole.bind(role, at: 2)
      try insertRole.run()
    }
  }

  /// Adds a key; returns its number.
  func insert(_ key: KeyRequest, of name: String, admitted: Timestamp) throws -> Int64 {
    insertKey.bind(name, at: 1)
    insertKey.bind(key.publicKey.bytes, at: 2)
    insertKey.bind(key.label, at: 3)
    insertKey.bind(admitted, at: 4, nanos: 6)
    insertKey.bind(key.expires, at: 5, nanos: 7)
    var number: Int64 = 0
    try insertKey.forEachRow { number = insertKey.int64(0) }
    return number
  }

  func update(_ number: Int64, label: String, expires: Timestamp?) throws {
    updateKey.bind(number, at: 1)
    updateKey.bind(label, at: 2)
    updateKey.bind(expires, at: 3, nanos: 4)
    try updateKey.run()
  }

  func revoke(_ number: Int64, at now: Timestamp) throws {
    revokeKey.bind(number, at: 1)
    revokeKey.bind(now, at: 2, nanos: 3)
    try revokeKey.run()
  }

  /// A key that is or was admitted.
  func key(_ publicKey: PublicKey) throws -> KeyRow? {
    selectKey.bind(publicKey.bytes, at: 1)
    return try rows(selectKey).first
  }

  /// The keys of a user in the order of their admission; of the revoked ones the newest.
  func keys(of name: String, max: Int) throws -> [AccountKey] {
    selectKeys.bind(name, at: 1)
    selectKeys.bind(Int64(max), at: 2)
    selectRevokedKeys.bind(name, at: 1)
    selectRevokedKeys.bind(Int64(max), at: 2)
    let keys = try rows(selectKeys) + rows(selectRevokedKeys)
    return keys.map(\.key).sorted { $0.number < $1.number }
  }

  private func row(_ name: String) throws -> Account? {
    select.bind(name, at: 1)
    var account: Account?
    try select.forEachRow {
      account = Account(
        name: name,
        displayName: select.string(0),
        created: select.time(1, nanos: 8),
        restricted: select.timestamp(2, nanos: 9),
        quota: select.isNull(3)
          ? nil
          : Quota(
            recordsMax: select.int64(3),
            bytesMax: select.int64(4),
            callsPerSecondMax: select.int64(5),
            subscriptionsMax: select.int64(6),
            connectionsMax: select.int64(7)
          )
      )
    }
    return account
  }

  private func rows(_ statement: any SQLStatement) throws -> [KeyRow] {
    var rows: [KeyRow] = []
    try statement.forEachRow {
      guard let publicKey = PublicKey(statement.bytes(2)) else { return }
      rows.append(
        KeyRow(
          user: statement.string(1),
          key: AccountKey(
            number: statement.int64(0),
            publicKey: publicKey,
            label: statement.string(3),
            admitted: statement.time(4, nanos: 7),
            expires: statement.timestamp(5, nanos: 8),
            revoked: statement.timestamp(6, nanos: 9)
          )
        )
      )
    }
    return rows
  }
}
