internal import TidingsKeys
internal import TidingsModel
internal import TidingsSQL

/// The users that were created, with their roles and their keys, in memory: what permissions rest on.
///
/// It holds all of them, as the open transaction leaves them; what is rolled back is read again before
/// the next look. Of revoked keys it holds those that were revoked or that called since the start, up to
/// a bound.
final class AccountDirectory: TransactionParticipant {
  /// Whom a key stands for.
  struct Holder {
    /// Empty: a guest.
    let user: String
    let publicKey: PublicKey
    var expires: Timestamp?
    var isRestricted: Bool

    /// The key is refused by now.
    func hasExpired(at now: Timestamp) -> Bool { expires.map { $0 <= now } ?? false }
  }

  /// What is known of a user.
  struct User {
    var displayName: String
    var isRestricted: Bool
    var roles: Set<String> = []
    /// How often the user's control topics were replaced.
    var controlEpoch: Int64
    /// The numbers of the keys that are not revoked.
    var keys: Set<Int64> = []
  }

  /// May do everything in the administration.
  static let administratorRole = "admin"
  /// Who has it may change schemas.
  static let developerRole = "developer"
  /// Who has it may call in the name of web credentials.
  static let gatewayRole = "gateway"
  /// Who has it may send what delivery targets get.
  static let senderRole = "sender"

  let admittedKeys: AdmittedKeys
  private let selectUsers: any SQLStatement
  private let selectRoles: any SQLStatement
  private let admittedRows: AdmittedKeyRows
  private let selectRevoked: any SQLStatement

  private var users: [String: User] = [:]
  private var holders: [Int64: Holder] = [:]
  private var guestKeys: Set<Int64> = []
  private var revokedKeys = RevokedKeys()
  private var administrators: Set<String> = []
  /// What the open transaction changed about who may connect.
  private var pending: [PublicKey: AdmittedKeys.Admission?] = [:]
  private var isChanged = false
  /// A transaction that had changed something was rolled back.
  private var isStale = true

  init(_ connection: any SQLConnection, admittedKeys: AdmittedKeys) throws {
    self.admittedKeys = admittedKeys
    selectUsers = try connection.prepare(
      """
      SELECT user, display_name, restricted, control_epoch FROM accounts
      WHERE user > ?1 ORDER BY user
      """,
      inPagesBy: PageKey(.text(1, column: 0))
    )
    selectUsers.bind("", at: 1)
    selectRoles = try connection.prepare(
      "SELECT user, role FROM account_roles WHERE (user, role) > (?1, ?2) ORDER BY user, role",
      inPagesBy: PageKey(.text(1, column: 0), .text(2, column: 1))
    )
    selectRoles.bind("", at: 1)
    selectRoles.bind("", at: 2)
    admittedRows = try AdmittedKeyRows(connection)
    selectRevoked = try connection.prepare(
      """
      SELECT user, public_key, revoked, revoked_nanos FROM account_keys
      WHERE id = ?1 AND revoked IS NOT NULL
      """
    )
    try refresh()
  }

  // MARK: Looking

  /// What is known of a user; `nil`: nobody created the user.
  func user(_ name: String) throws -> User? {
    if isStale { try refresh() }
    return users[name]
  }

  /// Whom a key stands for; `nil`: it is not admitted.
  func holder(of key: Int64) throws -> Holder? {
    if isStale { try refresh() }
    return holders[key]
  }

  /// Whose a key was that is not admitted any more; `nil`: it never was.
  func revoked(_ key: Int64) throws -> RevokedKeys.Entry? {
    if isStale { try refresh() }
    return try revokedKeys.entry(of: key) {
      selectRevoked.bind(key, at: 1)
      var entry: RevokedKeys.Entry?
      try selectRevoked.forEachRow {
        guard let publicKey = PublicKey(selectRevoked.bytes(1)),
          let since = selectRevoked.timestamp(2, nanos: 3)
        else { return }
        entry = RevokedKeys.Entry(
          user: selectRevoked.string(0),
          publicKey: publicKey,
          since: since
        )
      }
      return entry
    }
  }

  /// The roles that an administrator gave a user, for example `admin`, `editor`,
  /// `iCloud.com.example.houses/editor`.
  func roles(of user: String) throws -> Set<String> { try self.user(user)?.roles ?? [] }

  /// Whether a user has a role of a container's schema.
  func has(_ user: String, role: String, in container: String) throws -> Bool {
    let roles = try roles(of: user)
    return roles.contains(role) || roles.contains(container + "/" + role)
  }

  /// Whether a user may change the schema of a container.
  func isDeveloper(_ user: String, of container: String) throws -> Bool {
    let roles = try roles(of: user)
    guard !roles.isEmpty else { return false }
    return roles.contains(Self.administratorRole) || roles.contains(Self.developerRole)
      || roles.contains(container + "/" + Self.developerRole)
  }

  /// How often the user's control topics were replaced.
  func controlEpoch(of user: String) throws -> Int64 { try self.user(user)?.controlEpoch ?? 0 }

  /// How many users are restricted.
  @exclusivity(unchecked) private(set) var restrictedCount = 0
  /// How many users there are.
  var userCount: Int { users.count }
  /// How many keys there are that are not revoked.
  var keyCount: Int { holders.count }
  /// How many of them belong to guests.
  var guestKeyCount: Int { guestKeys.count }

  /// How long somebody can administer: has the role, a key that is not refused, and is not restricted.
  ///
  /// - Parameters:
  ///   - user: This one does not count.
  ///   - key: This one does not count.
  ///   - now: The time.
  /// - Returns: With the key that is good for longest.
  /// - Throws: `SQLError`.
  func administration(
    without user: String? = nil,
    withoutKey key: Int64? = nil,
    at now: Timestamp
  ) throws -> Administration {
    if isStale { try refresh() }
    var latest: Timestamp?
    for name in administrators where name != user {
      guard let entry = users[name], !entry.isRestricted else { continue }
      for number in entry.keys where number != key {
        guard let holder = holders[number] else { continue }
        guard let expires = holder.expires else { return .lasting }
        if expires > latest ?? now { latest = expires }
      }
    }
    return latest.map { .until($0) } ?? .impossible
  }

  /// An administrator has a key, though it may have expired.
  func hasAdministratorKey() throws -> Bool {
    if isStale { try refresh() }
    return administrators.contains { users[$0]?.keys.isEmpty == false }
  }

  // MARK: Changing, in the open transaction

  /// Something is about to be written.
  func willChange() { isChanged = true }

  /// Something is about to be written that this does not follow: the next look reads the store again.
  func willReload() { (isChanged, isStale) = (true, true) }

  func add(_ name: String, displayName: String) {
    users[name] = User(displayName: displayName, isRestricted: false, controlEpoch: 0)
  }

  func setDisplayName(_ text: String, of name: String) { users[name]?.displayName = text }

  func setRestricted(_ isRestricted: Bool, _ name: String) {
    guard let user = users[name], user.isRestricted != isRestricted else { return }
    restrictedCount += isRestricted ? 1 : -1
    users[name]?.isRestricted = isRestricted
    for key in users[name]?.keys ?? [] { holders[key]?.isRestricted = isRestricted }
  }

  func setRoles(_ roles: [String], of name: String) {
    users[name]?.roles = Set(roles)
    if roles.contains(Self.administratorRole) {
      administrators.insert(name)
    } else {
      administrators.remove(name)
    }
  }

  func setControlEpoch(_ epoch: Int64, of name: String) { users[name]?.controlEpoch = epoch }

  /// Adds a key, or sets when it expires.
  func admit(_ key: Int64, _ publicKey: PublicKey, of name: String, expires: Timestamp?) {
    insert(key, publicKey, of: name, expires: expires)
    pending[publicKey] = AdmittedKeys.Admission(number: key, user: name, expires: expires)
  }

  /// A key is revoked.
  func remove(_ key: Int64, at now: Timestamp) {
    guard let holder = holders.removeValue(forKey: key) else { return }
    revokedKeys.insert(
      RevokedKeys.Entry(user: holder.user, publicKey: holder.publicKey, since: now),
      for: key
    )
    users[holder.user]?.keys.remove(key)
    guestKeys.remove(key)
    pending.updateValue(nil, forKey: holder.publicKey)
  }

  // MARK: Transactions

  func didCommit() {
    guard isChanged else { return }
    isChanged = false
    if !pending.isEmpty { admittedKeys.apply(pending) }
    pending = [:]
  }

  /// It is asked between transactions too.
  func didRollback() {
    guard isChanged else { return }
    isChanged = false
    pending = [:]
    isStale = true
  }

  func reload() { isStale = true }

  private func refresh() throws {
    users.removeAll(keepingCapacity: true)
    holders.removeAll(keepingCapacity: true)
    guestKeys.removeAll(keepingCapacity: true)
    revokedKeys.forgetAll()
    administrators.removeAll(keepingCapacity: true)
    restrictedCount = 0
    try selectUsers.forEachRow {
      users[selectUsers.string(0)] = User(
        displayName: selectUsers.string(1),
        isRestricted: !selectUsers.isNull(2),
        controlEpoch: selectUsers.int64(3)
      )
      if !selectUsers.isNull(2) { restrictedCount += 1 }
    }
    try selectRoles.forEachRow {
      let (user, role) = (selectRoles.string(0), selectRoles.string(1))
      users[user]?.roles.insert(role)
      if role == Self.administratorRole { administrators.insert(user) }
    }
    var admissions: [PublicKey: AdmittedKeys.Admission] = [:]
    try admittedRows.read { row in
      insert(
        row.admission.number,
        row.publicKey,
        of: row.admission.user,
        expires: row.admission.expires
      )
      admissions[row.publicKey] = row.admission
    }
    admittedKeys.replace(admissions)
    isStale = false
  }

  private func insert(
    _ key: Int64,
    _ publicKey: PublicKey,
    of name: String,
    expires: Timestamp?
  ) {
    revokedKeys.forget(key)
    holders[key] = Holder(
      user: name,
      publicKey: publicKey,
      expires: expires,
      isRestricted: users[name]?.isRestricted ?? false
    )
    if name.isEmpty {
      guestKeys.insert(key)
    } else {
      users[name]?.keys.insert(key)
    }
  }
}
