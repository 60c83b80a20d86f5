internal import TidingsKeys
internal import TidingsModel

/// Changes users, keys and roles: checks all, then writes the store and what is in memory.
final class ModifyAccounts {
  private let table: AccountTable
  private let directory: AccountDirectory
  private let quotas: QuotaTable
  private let rotation: UserRotation
  private let limits: Limits

  init(
    _ table: AccountTable,
    _ directory: AccountDirectory,
    _ quotas: QuotaTable,
    _ rotation: UserRotation,
    _ limits: Limits
  ) {
    self.table = table
    self.directory = directory
    self.quotas = quotas
    self.rotation = rotation
    self.limits = limits
  }

  func create(_ request: AccountRequest, at now: Timestamp) throws -> Account {
    try AccountGrammar.check(name: request.name)
    try AccountGrammar.check(text: request.displayName, what: "display name")
    try AccountGrammar.check(request.quota)
    let roles = try AccountGrammar.checked(roles: request.roles, countMax: limits.rolesPerUserMax)
    guard try directory.user(request.name) == nil else {
      throw ItemError(
        .serverRejectedRequest,
        "the user '\(request.name)' exists: choose another name, or change the user"
      )
    }
    guard directory.userCount < limits.usersMax else {
      throw ItemError(
        .limitExceeded,
        "there are \(limits.usersMax) users already: let an operator raise --limit users-max"
      )
    }
    if let key = request.key { try check(new: key, of: request.name, at: now) }
    directory.willChange()
    try table.insert(request.name, displayName: request.displayName, created: now)
    directory.add(request.name, displayName: request.displayName)
    if !roles.isEmpty { try set(roles, of: request.name) }
    if let key = request.key { try insert(key, of: request.name, at: now) }
    if let quota = request.quota { try quotas.set(quota, of: request.name) }
    return try account(request.name)
  }

  func update(_ name: String, _ change: AccountChange, at now: Timestamp) throws -> Account {
    if let text = change.displayName {
      try AccountGrammar.check(text: text, what: "display name")
    }
    if case .set(let quota)? = change.quota { try AccountGrammar.check(quota) }
    var account = try account(name)
    let wasRestricted = account.restricted != nil
    if change.isRestricted == true, !wasRestricted {
      try directory.administration(at: now).check(
        "restricting '\(name)' would leave",
        leaves: try directory.administration(without: name, at: now)
      )
    }
    directory.willChange()
    if let text = change.displayName {
      account.displayName = text
      directory.setDisplayName(text, of: name)
    }
    switch change.quota {
    case .set(let quota): account.quota = quota
    case .remove: account.quota = nil
    case nil: break
    }
    if change.quota != nil { try quotas.set(account.quota, of: name) }
    if let isRestricted = change.isRestricted, isRestricted != wasRestricted {
      account.restricted = isRestricted ? now : nil
      directory.setRestricted(isRestricted, name)
    }
    try table.update(account)
    if change.isRestricted == true, !wasRestricted {
      try rotation.end(.user(name), of: name)
    }
    return account
  }

  func assign(_ roles: [String], to name: String, at now: Timestamp) throws -> Account {
    let roles = try AccountGrammar.checked(roles: roles, countMax: limits.rolesPerUserMax)
    var account = try account(name)
    if !roles.contains(AccountDirectory.administratorRole) {
      try directory.administration(at: now).check(
        "without the role 'admin', '\(name)' would leave",
        leaves: try directory.administration(without: name, at: now)
      )
    }
    directory.willChange()
    try set(roles, of: name)
    account.roles = roles
    return account
  }

  /// Admits a key, or changes when it expires and what it is for.
  ///
  /// - Returns: Whose it is; `nil`: of guests.
  func authorize(_ request: KeyRequest, of name: String, at now: Timestamp) throws -> Account? {
    if !name.isEmpty { _ = try account(name) }
    try AccountGrammar.check(request, at: now)
    if let row = try table.key(request.publicKey) {
      try check(row, is: name)
      if let expires = request.expires {
        let others = try directory.administration(withoutKey: row.key.number, at: now)
        try directory.administration(at: now).check(
          "an expiry of this key would leave",
          leaves: others == .impossible ? .until(expires) : others
        )
      }
      directory.willChange()
      try table.update(
        row.key.number,
        label: request.label.isEmpty ? row.key.label : request.label,
        expires: request.expires
      )
      directory.admit(row.key.number, request.publicKey, of: name, expires: request.expires)
      rotation.expiryChanged()
    } else {
      try checkRoom(for: name)
      directory.willChange()
      try insert(request, of: name, at: now)
    }
    return name.isEmpty ? nil : try account(name)
  }

  /// Refuses to remove the last administrator who can call.
  func checkRemoval(of name: String, at now: Timestamp) throws {
    try directory.administration(at: now).check(
      "erasing '\(name)' would leave",
      leaves: try directory.administration(without: name, at: now)
    )
  }

  /// Revokes a key permanently.
  ///
  /// - Returns: Whose it was, and how many channels got new topics at once.
  func revoke(
    _ publicKey: PublicKey,
    at now: Timestamp
  ) throws -> (account: Account?, rotatedCount: Int) {
    guard let row = try table.key(publicKey) else {
      throw ItemError(.unknownItem, "the key \(publicKey) was never admitted")
    }
    var rotatedCount = 0
    if row.key.revoked == nil {
      try directory.administration(at: now).check(
        "revoking the key would leave",
        leaves: try directory.administration(withoutKey: row.key.number, at: now)
      )
      directory.willChange()
      try table.revoke(row.key.number, at: now)
      directory.remove(row.key.number, at: now)
      rotatedCount = try rotation.end(.key(row.key.number), of: row.user)
    }
    return (row.user.isEmpty ? nil : try account(row.user), rotatedCount)
  }

  /// Creates an administrator in a store that has none who could call, or gives the role and the key
  /// to a user.
  func createAdministrator(_ name: String, key: KeyRequest, at now: Timestamp) throws -> Account {
    guard try directory.administration(at: now) == .impossible else {
      throw ItemError(
        .serverRejectedRequest,
        "the server has an administrator already, who can create others"
      )
    }
    let role = AccountDirectory.administratorRole
    guard try directory.user(name) != nil else {
      return try create(AccountRequest(name, roles: [role], key: key), at: now)
    }
    _ = try authorize(key, of: name, at: now)
    _ = try update(name, AccountChange(isRestricted: false), at: now)
    return try assign(Array(try directory.roles(of: name)) + [role], to: name, at: now)
  }

  // MARK: Reading

  /// A user with roles and keys.
  func account(_ name: String) throws -> Account {
    guard Identifier.problem(inUserName: name) == nil,
      let account = try table.account(name, keysMax: limits.keysPerUserMax)
    else {
      throw ItemError(.unknownItem, "the user \(Identifier.shown(name)) does not exist")
    }
    return account
  }

  /// Users after a name, sorted; at most `limit`.
  func accounts(after name: String, limit: Int) throws -> (accounts: [Account], more: Bool) {
    try Identifier.check(pageAfter: name)
    let names = try table.names(after: name, limit: limit + 1)
    return (try names.prefix(limit).map { try account($0) }, names.count > limit)
  }

  /// The keys of guests.
  func guestKeys() throws -> [AccountKey] {
    try table.keys(of: "", max: limits.guestKeysMax)
  }

  // MARK: Steps

  private func set(_ roles: [String], of name: String) throws {
    try table.setRoles(roles, of: name)
    directory.setRoles(roles, of: name)
  }

  private func insert(_ key: KeyRequest, of name: String, at now: Timestamp) throws {
    let number = try table.insert(key, of: name, admitted: now)
    directory.admit(number, key.publicKey, of: name, expires: key.expires)
    if key.expires != nil { rotation.expiryChanged() }
  }

  private func check(new key: KeyRequest, of name: String, at now: Timestamp) throws {
    try AccountGrammar.check(key, at: now)
    if let row = try table.key(key.publicKey) { try check(row, is: name) }
    try checkRoom(for: name)
  }

  /// A key that is known can only stay what it is.
  private func check(_ row: AccountTable.KeyRow, is name: String) throws(ItemError) {
    guard row.key.revoked == nil else {
      throw ItemError(
        .serverRejectedRequest,
        "the key was revoked and cannot be admitted again: make a new pair"
      )
    }
    guard row.user == name else {
      throw ItemError(
        .serverRejectedRequest,
        "the key belongs to \(row.user.isEmpty ? "guests" : "'\(row.user)'") already: make a new pair"
      )
    }
  }

  private func checkRoom(for name: String) throws {
    let max = name.isEmpty ? limits.guestKeysMax : limits.keysPerUserMax
    let count =
      name.isEmpty ? directory.guestKeyCount : try directory.user(name)?.keys.count ?? 0
    guard count < max else {
      let whose = name.isEmpty ? "guests have" : "'\(name)' has"
      throw ItemError(.limitExceeded, "\(whose) \(count) keys already: revoke one that is not used")
    }
    guard directory.keyCount < limits.keysMax else {
      throw ItemError(
        .limitExceeded,
        "\(limits.keysMax) keys are admitted already: revoke some, or let an operator raise --limit "
          + "keys-max"
      )
    }
  }
}
