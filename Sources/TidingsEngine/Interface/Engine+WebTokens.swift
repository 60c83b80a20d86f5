internal import TidingsKeys
public import TidingsModel

extension Engine {
  // MARK: Calls

  /// The number that a gateway's call carries for its caller, in place of that of a key: negative.
  ///
  /// - Parameter text: What the call says of its caller.
  /// - Returns: The negated ID of the credential.
  /// - Throws: `WebCredentialRefusal`; `SQLError`.
  public func webKey(_ text: WebCredentialText) throws -> Int64 {
    -(try access.webCredentials.find(text, at: time.timeOfDay).id)
  }

  /// Whose calls a web credential may make now; looks into memory.
  ///
  /// - Parameter number: As `webKey` returns it.
  /// - Returns: The user; empty: a guest.
  /// - Throws: `WebCredentialRefusal`; `SQLError`.
  public func webUser(ofKey number: Int64) throws -> String {
    try access.webCredentials.token(-number, at: time.timeOfDay).user
  }

  /// Whether a user may call in the name of web credentials.
  public func isGateway(_ user: String) throws -> Bool {
    try access.accounts.roles(of: user).contains(AccountDirectory.gatewayRole)
  }

  // MARK: Administration

  /// Creates an API token or admits a server key.
  ///
  /// - Parameters:
  ///   - request: What is created.
  ///   - requiresAccount: The user of a server key must have an account.
  /// - Returns: The credential, and the text of an API token, which is not stored.
  /// - Throws: `ItemError` `invalidArguments`, `limitExceeded`; `unknownItem` without the user;
  ///   `serverRejectedRequest` for a server key that is known; `SQLError`.
  public func createWebToken(
    _ request: WebTokenRequest,
    requiresAccount: Bool
  ) throws -> (token: WebToken, text: String?) {
    if case .serverKey(let user, _) = request.credential {
      guard !user.isEmpty else {
        throw ItemError(.invalidArguments, "user_name is missing: whose calls are signed?")
      }
      guard !isBeingErased(user) else {
        throw ItemError(.serverRejectedRequest, "the user '\(user)' is being erased")
      }
      if requiresAccount { _ = try account(user) }
    }
    return try modifications.webTokens.create(request, at: now)
  }

  /// Revokes a credential permanently, and with an API token its sessions.
  ///
  /// - Throws: `ItemError` `unknownItem`; `SQLError`.
  public func revokeWebToken(_ id: Int64) throws -> WebToken {
    try modifications.webTokens.revoke(id, at: now)
  }

  /// Credentials with a greater ID, sorted by it.
  ///
  /// - Parameters:
  ///   - id: The last one of the page before; 0: from the first.
  ///   - kind: Only of this kind; `nil`: all.
  ///   - user: Only this user's; empty: all.
  ///   - limit: Most of them.
  /// - Returns: The page.
  /// - Throws: `SQLError`.
  public func webTokens(
    after id: Int64,
    kind: WebToken.Kind?,
    user: String,
    limit: Int
  ) throws -> (tokens: [WebToken], moreComing: Bool) {
    var (tokens, last) = ([WebToken](), id)
    while tokens.count <= limit {
      let rows = try access.webTokenTable.page(
        after: last,
        kind: kind,
        user: user,
        limit: limit + 1
      )
      tokens += rows.filter { kind == nil || $0.kind == kind }
      guard rows.count > limit, let row = rows.last else { break }
      last = row.id
    }
    return (Array(tokens.prefix(limit)), tokens.count > limit)
  }

  // MARK: Sessions

  /// Begins a session of a user with an API token.
  ///
  /// - Returns: The session, and its token, which is not stored.
  /// - Throws: `WebCredentialRefusal` for the API token; `SQLError`.
  public func beginWebSession(
    of user: String,
    apiToken: String,
    isKept: Bool
  ) throws -> (token: WebToken, text: String) {
    try modifications.webTokens.begin(
      for: user,
      with: try self.apiToken(apiToken),
      isKept: isKept,
      at: now
    )
  }

  /// Begins a sign-in of a user to the dashboard: its token is good for one renewal, within 2 minutes.
  ///
  /// - Parameters:
  ///   - user: The user.
  ///   - number: The number of the key of the call, with which the session ends; `nil`: authentication is off.
  /// - Returns: The session, and the token of the sign-in, which is not stored.
  /// - Throws: `SQLError`.
  public func beginDashboardSession(
    of user: String,
    ofKey number: Int64?
  ) throws -> (token: WebToken, text: String) {
    let key = try number.flatMap { try holder(ofKey: $0)?.publicKey?.bytes }
    return try modifications.webTokens.beginDashboard(for: user, key: key ?? [], at: now)
  }

  /// Gives the session of a call another token and a later expiry.
  ///
  /// - Parameter number: The call's.
  /// - Returns: The session, and its token, which is not stored.
  /// - Throws: `ItemError` `invalidArguments` if it is no session; `WebCredentialRefusal`; `SQLError`.
  public func renewWebSession(ofKey number: Int64) throws -> (token: WebToken, text: String) {
    let token = try access.webCredentials.token(-number, at: now)
    guard token.kind == .session else {
      throw ItemError(
        .invalidArguments,
        "the call has no web auth token: there is nothing to renew"
      )
    }
    return try modifications.webTokens.renew(token, at: now)
  }

  /// What stands for the session of a call until it ends, whatever its token is then.
  ///
  /// - Parameter number: The call's.
  /// - Returns: The text, which is not stored.
  /// - Throws: `ItemError` `invalidArguments` if it is no session; `WebCredentialRefusal`; `SQLError`.
  public func webSessionHandle(ofKey number: Int64) throws -> String {
    let token = try access.webCredentials.token(-number, at: time.timeOfDay)
    guard token.kind == .session else {
      throw ItemError(.invalidArguments, "the call has no web auth token, and so no session")
    }
    return access.webCredentials.handles.text(of: token)
  }

  /// Ends the session of a call, if it has one.
  public func endWebSession(ofKey number: Int64) throws {
    guard let token = try access.webTokens.token(-number), token.kind == .session else { return }
    _ = try modifications.webTokens.revoke(token, at: now)
  }

  /// Ends a session of a user by its token, if it is valid.
  public func endWebSession(of user: String, webAuthToken: String) throws {
    let text = Array(webAuthToken.utf8)
    guard let hash = text.withUnsafeBytes({ WebTokenHash(ofWebAuthToken: $0) }),
      let token = try access.webTokens.token(hash, at: now), token.kind == .session,
      token.user == user
    else { return }
    _ = try modifications.webTokens.revoke(token, at: now)
  }

  // MARK: For the gateway

  /// An API token by its text.
  ///
  /// - Throws: `WebCredentialRefusal`; `SQLError`.
  public func apiToken(_ text: String) throws -> WebToken {
    let bytes = Array(text.utf8)
    let hash = bytes.withUnsafeBytes { WebTokenHash(ofAPIToken: $0) }
    return try access.webCredentials.find(.apiToken, hash, at: time.timeOfDay)
  }

  /// A server key by its ID, or by its ID, environment and container, with colons between them.
  ///
  /// - Throws: `WebCredentialRefusal`; `SQLError`.
  public func serverKey(_ text: String) throws -> WebToken {
    let now = time.timeOfDay
    return try Array(text.utf8).withUnsafeBytes {
      try access.webCredentials.serverKey($0, at: now)
    }
  }

  /// Begins a sign-in that a user approves with its code.
  ///
  /// - Parameters:
  ///   - apiToken: The API token.
  ///   - address: From where it is begun; empty: it is not known.
  ///   - isKept: The session would last.
  /// - Returns: Its secret, its code, and when it ends.
  /// - Throws: `WebCredentialRefusal` for the API token; `SQLError`.
  public func beginSignIn(
    apiToken: String,
    from address: String,
    isKept: Bool
  ) throws -> (secret: String, code: String, ends: Timestamp) {
    let token = try self.apiToken(apiToken)
    let (secret, code) = access.signIns.begin(apiToken: token.id, from: address, isKept: isKept)
    return (secret, code, now.advanced(seconds: limits.signInSeconds))
  }

  /// What a code is for, and whether the session would last; a user gives the code.
  ///
  /// - Parameters:
  ///   - code: The code.
  ///   - user: Who gives it.
  ///   - isApproved: The user approves the sign-in.
  /// - Returns: The API token with which it began.
  /// - Throws: `ItemError` `unknownItem`, `requestRateLimited`; `WebCredentialRefusal` when the API
  ///   token is refused meanwhile; `SQLError`.
  public func signIn(
    _ code: String,
    by user: String,
    isApproved: Bool
  ) throws -> (apiToken: WebToken, isKept: Bool) {
    let found = try access.signIns.find(code, by: user)
    let token = try access.webCredentials.token(found.apiToken, at: now)
    if isApproved { try access.signIns.approve(code, by: user) }
    return (token, found.isKept)
  }

  /// Completes a sign-in that a user has approved.
  ///
  /// - Returns: The session and its token; `nil`: the sign-in waits for a user.
  /// - Throws: `ItemError` `unknownItem` when it is over; `managedAccountRestricted` when the user is;
  ///   `WebCredentialRefusal` when the API token is refused meanwhile; `SQLError`.
  public func completeSignIn(
    _ secret: String
  ) throws -> (token: WebToken, text: String)? {
    switch try access.signIns.complete(secret) {
    case .waiting: return nil
    case .approved(let user, let apiToken, let isKept):
      guard try !isBeingErased(user) && !isRestricted(user) else {
        throw ItemError(
          .managedAccountRestricted,
          "the account of this sign-in was restricted by an administrator"
        )
      }
      return try modifications.webTokens.begin(
        for: user,
        with: try access.webCredentials.token(apiToken, at: now),
        isKept: isKept,
        at: now
      )
    }
  }
}
