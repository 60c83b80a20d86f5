public import TidingsKeys
internal import TidingsModel

extension Engine {
  /// What a key is good for now; looks into memory, whatever the answer.
  ///
  /// - Parameter number: The key's, as in `AdmittedKeys`.
  /// - Returns: Whose calls it may make, or why not.
  /// - Throws: `SQLError`.
  public func standing(ofKey number: Int64) throws -> KeyStanding {
    guard let holder = try access.accounts.holder(of: number) else {
      guard let revoked = try access.accounts.revoked(number) else { return .unknown }
      return .revoked(revoked.user, since: revoked.since)
    }
    if let expires = holder.expires, expires <= time.timeOfDay {
      return .expired(holder.user, since: expires)
    }
    return holder.isRestricted ? .restricted(holder.user) : .admitted(holder.user)
  }

  /// Whose a key or a web credential is or was, from memory; for the user's own eyes and for logs.
  ///
  /// - Parameter number: The key's, as in `AdmittedKeys`; of a web credential, as `webKey` returns it.
  /// - Returns: `nil`: there never was one.
  /// - Throws: `SQLError`.
  public func holder(ofKey number: Int64) throws -> KeyHolder? {
    if number < 0 {
      return try access.webTokens.token(-number).map {
        KeyHolder(user: $0.user, credential: .webToken($0.id), expires: $0.expires)
      }
    }
    if let holder = try access.accounts.holder(of: number) {
      return KeyHolder(
        user: holder.user,
        credential: .key(holder.publicKey),
        expires: holder.expires
      )
    }
    return try access.accounts.revoked(number).map {
      KeyHolder(user: $0.user, credential: .key($0.publicKey), expires: nil)
    }
  }

  /// Whether a user may administer the server.
  public func isAdministrator(_ user: String) throws -> Bool {
    try access.accounts.roles(of: user).contains(AccountDirectory.administratorRole)
  }

  /// How long somebody can administer the server with a key.
  ///
  /// - Throws: `SQLError`.
  public var administration: Administration {
    get throws { try access.accounts.administration(at: time.timeOfDay) }
  }

  /// Whether an administrator has a key, though it may have expired: the server is not for everybody.
  public var isAdministered: Bool { get throws { try access.accounts.hasAdministratorKey() } }

  /// Whether a user may change the schema of a container.
  public func isDeveloper(_ user: String, of container: String) throws -> Bool {
    try access.accounts.isDeveloper(user, of: container)
  }

  /// From now on only developers' saves teach schemas, and only they see all types: the server knows who
  /// calls.
  public func letOnlyDevelopersTeach() {
    let isDeveloper = { [accounts = access.accounts] (user: String, container: String) in
      try accounts.isDeveloper(user, of: container)
    }
    modifications.records.mayTeach = isDeveloper
    subscriptionChanges.isDeveloper = isDeveloper
  }

  /// The roles of a user, sorted.
  public func roles(of user: String) throws -> [String] {
    try access.accounts.roles(of: user).sorted()
  }

  /// What others see of a user.
  ///
  /// - Returns: `nil`: nobody created the user; else a text, perhaps empty.
  public func displayName(of user: String) throws -> String? {
    try access.accounts.user(user)?.displayName
  }

  /// The administrator does not admit the user's calls.
  public func isRestricted(_ user: String) throws -> Bool {
    try access.accounts.user(user)?.isRestricted ?? false
  }

  /// There are users whose calls are refused.
  public var hasRestrictedUsers: Bool { access.accounts.restrictedCount > 0 }

  // MARK: Administration

  /// Creates the first administrator of a store.
  ///
  /// Also when there are some of whom none can call, because their keys are revoked or expired: then a
  /// user that exists gets the role and the key.
  ///
  /// - Parameters:
  ///   - name: The user's name.
  ///   - key: The first key.
  /// - Returns: The user as stored.
  /// - Throws: `ItemError` `serverRejectedRequest` when there is one, or the key is taken;
  ///   `invalidArguments`; `SQLError`.
  @discardableResult
  public func createAdministrator(_ name: String, key: KeyRequest) throws -> Account {
    let account = try modifications.accounts.createAdministrator(name, key: key, at: now)
    try rolesChanged(of: name)
    return account
  }

  /// Creates a user.
  ///
  /// - Throws: `ItemError` `serverRejectedRequest` when the name or the key is taken; `SQLError`.
  public func createUser(_ request: AccountRequest) throws -> Account {
    guard !isBeingErased(request.name) else {
      throw ItemError(
        .serverRejectedRequest,
        "the user '\(request.name)' is being erased: create the name again when that is done"
      )
    }
    let account = try modifications.accounts.create(request, at: now)
    if !account.roles.isEmpty { try rolesChanged(of: account.name) }
    return account
  }

  /// Changes a user.
  ///
  /// - Throws: `ItemError` `unknownItem`; `serverRejectedRequest` for the last administrator who can
  ///   call without expiry; `SQLError`.
  public func updateUser(_ name: String, _ change: AccountChange) throws -> Account {
    try modifications.accounts.update(name, change, at: now)
  }

  /// Sets the roles of a user; errors as `updateUser`.
  public func assignRoles(_ roles: [String], to name: String) throws -> Account {
    let account = try modifications.accounts.assign(roles, to: name, at: now)
    try rolesChanged(of: name)
    return account
  }

  /// Admits a key, or changes when it expires.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - name: Whose; empty: of guests.
  /// - Returns: Whose it is; `nil`: of guests.
  /// - Throws: `ItemError` `serverRejectedRequest` when it was revoked or belongs to somebody else, or
  ///   an expiry would leave no administrator with a key without expiry; `unknownItem`, `limitExceeded`;
  ///   `SQLError`.
  public func authorizeKey(_ key: KeyRequest, of name: String) throws -> Account? {
    try modifications.accounts.authorize(key, of: name, at: now)
  }

  /// Revokes a key permanently, with the dashboards that it signed in, and gives new topics to all channels of its user.
  ///
  /// - Returns: Whose it was (`nil`: of guests), and how many channels got new topics at once; when
  ///   there are very many, the rest follows.
  /// - Throws: `ItemError` `unknownItem`; `serverRejectedRequest` for the last administrator's last
  ///   key that does not expire; `SQLError`.
  public func revokeKey(_ key: PublicKey) throws -> (account: Account?, rotatedCount: Int) {
    let revoked = try modifications.accounts.revoke(key, at: now)
    if let account = revoked.account {
      try modifications.webTokens.endDashboards(of: account.name, key: key.bytes, at: now)
    }
    return revoked
  }

  /// A user with roles and keys.
  ///
  /// - Throws: `ItemError` `unknownItem`; `SQLError`.
  public func account(_ name: String) throws -> Account { try modifications.accounts.account(name) }

  /// Users after a name, sorted; at most `limit`.
  public func accounts(
    after name: String,
    limit: Int
  ) throws -> (accounts: [Account], moreComing: Bool) {
    let page = try modifications.accounts.accounts(after: name, limit: limit)
    return (page.accounts, page.more)
  }

  /// The keys of guests.
  public func guestKeys() throws -> [AccountKey] { try modifications.accounts.guestKeys() }

}
