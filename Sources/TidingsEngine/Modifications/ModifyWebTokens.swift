internal import TidingsMemory
internal import TidingsModel

/// Creates, renews and revokes web credentials: checks all, then writes the store and what is in memory.
final class ModifyWebTokens {
  private let table: WebTokenTable
  private let directory: WebTokenDirectory
  private let wakeUp: WakeUpFlag
  private let limits: Limits

  init(
    _ table: WebTokenTable,
    _ directory: WebTokenDirectory,
    _ wakeUp: WakeUpFlag,
    _ limits: Limits
  ) {
    (self.table, self.directory) = (table, directory)
    (self.wakeUp, self.limits) = (wakeUp, limits)
  }

  /// Creates an API token or admits a server key.
  ///
  /// - Returns: The credential, and the text of an API token.
  func create(
    _ request: WebTokenRequest,
    at now: Timestamp
  ) throws -> (token: WebToken, text: String?) {
    try WebTokenGrammar.check(request, at: now)
    guard try directory.permanent < limits.webTokensMax else {
      throw ItemError(
        .limitExceeded,
        "there are \(limits.webTokensMax) API tokens and server keys already: revoke some, or let an "
          + "operator raise --limit web-tokens-max"
      )
    }
    try checkMemory()
    var token: WebToken
    var text: String?
    switch request.credential {
    case .apiToken(let origins, let callbackURL):
      let secret = Cryptography.randomBytes(WebTokenText.bytesCount)
      text = secret.hexadecimal
      token = Self.token(.apiToken, of: "", request, secret, at: now)
      (token.origins, token.callbackURL) = (origins, callbackURL)
    case .serverKey(let user, let publicKey):
      token = Self.token(.serverKey, of: user, request, publicKey, at: now)
      token.publicKey = publicKey
      try checkServerKey(token)
      // The ID finds the first registration.
      if try directory.contains(token.hash) {
        let text = Array(ServerKeyText.text(of: token).utf8)
        token.hash = text.withUnsafeBytes { WebTokenHash(hashing: $0) }
      }
    }
    return (try insert(token), text)
  }

  /// A server key is registered once in a container and environment; one that was revoked anywhere was lost.
  private func checkServerKey(_ token: WebToken) throws {
    for other in try directory.serverKeys(token.publicKey) {
      guard other.revoked == nil else {
        throw ItemError(.serverRejectedRequest, "the server key was revoked: make a new pair")
      }
      guard (other.container, other.environment) != (token.container, token.environment) else {
        throw ItemError(
          .serverRejectedRequest,
          "the server key is known in container '\(token.container)' (\(token.environment)): use it, or make a new pair"
        )
      }
    }
  }

  /// Begins a session of a user; the oldest ends if there are too many.
  func begin(
    for user: String,
    with apiToken: WebToken,
    isKept: Bool,
    at now: Timestamp
  ) throws -> (token: WebToken, text: String) {
    try makeRoom(for: user, at: now)
    let secret = Cryptography.randomBytes(WebTokenText.bytesCount)
    var token = WebToken(
      id: 0,
      kind: .session,
      user: user,
      container: apiToken.container,
      environment: apiToken.environment,
      created: now,
      hash: secret.withUnsafeBytes { WebTokenHash(hashing: $0) }
    )
    (token.apiToken, token.isKept) = (apiToken.id, isKept)
    token.expires = expiry(of: token, at: now)
    return (try insert(token), WebTokenText.base64URL(secret))
  }

  /// How long a sign-in to the dashboard waits to be completed.
  private static let signInSeconds = 120

  /// Begins a sign-in of a user to the dashboard, which the first renewal completes.
  ///
  /// - Parameters:
  ///   - user: The user.
  ///   - key: The CURVE key of the call; empty: authentication is off.
  ///   - now: The time of the transaction.
  /// - Returns: The session, and the token of the sign-in.
  /// - Throws: `SQLError`.
  func beginDashboard(
    for user: String,
    key: [UInt8],
    at now: Timestamp
  ) throws -> (token: WebToken, text: String) {
    try makeRoom(for: user, at: now)
    let secret = Cryptography.randomBytes(WebTokenText.bytesCount)
    var token = WebToken(
      id: 0,
      kind: .session,
      user: user,
      container: "",
      environment: .development,
      created: now,
      hash: secret.withUnsafeBytes { WebTokenHash(hashing: $0) }
    )
    (token.label, token.publicKey) = ("dashboard", key)
    token.expires = now.advanced(seconds: Self.signInSeconds)
    return (try insert(token), WebTokenText.base64URL(secret))
  }

  /// Ends the sessions of dashboards that a key began.
  func endDashboards(of user: String, key: [UInt8], at now: Timestamp) throws {
    for session in try directory.sessions(of: user, at: now)
    where session.isOfDashboard && session.publicKey == key {
      _ = try revoke(session, at: now)
    }
  }

  /// The oldest sessions of a user end if there are too many.
  private func makeRoom(for user: String, at now: Timestamp) throws {
    let sessions = try directory.sessions(of: user, at: now)
    for session in sessions.dropLast(limits.webSessionsPerUserMax - 1) {
      _ = try revoke(session, at: now)
    }
    try checkMemory()
  }

  /// All credentials are in memory.
  private func checkMemory() throws {
    let (bytes, bytesMax) = (try directory.memoryBytes, limits.memory[.webTokens])
    guard bytes >= bytesMax else { return }
    throw ItemError(
      .limitExceeded,
      "the sessions on the web, the API tokens and the server keys take \(bytes) bytes of memory and may take "
        + "\(bytesMax): revoke some, or let an operator raise --limit memory-bytes-max"
    )
  }

  /// Gives a session another token and a later expiry; that of a sign-in to the dashboard is good once.
  func renew(_ session: WebToken, at now: Timestamp) throws -> (token: WebToken, text: String) {
    let secret = Cryptography.randomBytes(WebTokenText.bytesCount)
    var session = session
    let isSignIn = session.isOfDashboard && session.previous == nil
    session.previous = .init(
      hash: session.hash,
      ends: isSignIn ? now : now.advanced(seconds: limits.webTokenOverlapSeconds)
    )
    session.hash = secret.withUnsafeBytes { WebTokenHash(hashing: $0) }
    let expires = expiry(of: session, at: now)
    // The longest age was set lower since.
    guard expires > now else { throw WebCredentialRefusal(.session, .expired(now)) }
    session.expires = expires
    try table.renew(session)
    directory.update(session)
    return (session, WebTokenText.base64URL(secret))
  }

  /// Revokes a credential with an ID permanently.
  func revoke(_ id: Int64, at now: Timestamp) throws -> WebToken {
    guard let token = try directory.token(id) else {
      throw ItemError(.unknownItem, "there is no web credential \(id)")
    }
    return try revoke(token, at: now)
  }

  /// Revokes a credential permanently.
  func revoke(_ token: WebToken, at now: Timestamp) throws -> WebToken {
    guard token.revoked == nil else { return token }
    var token = token
    token.revoked = now
    // Sessions are removed a day after their expiry.
    if token.kind == .session { token.expires = min(token.expires ?? now, now) }
    try table.revoke(token)
    directory.update(token)
    try directory.end(token.id)
    if directory.hasListeners { wakeUp.raise() }
    return token
  }

  private func insert(_ token: WebToken) throws -> WebToken {
    var token = token
    token.id = try table.insert(token)
    directory.insert(token)
    if token.expires != nil { wakeUp.raise() }
    return token
  }

  /// When a session ends unless it is renewed, which goes on for so long only.
  private func expiry(of session: WebToken, at now: Timestamp) -> Timestamp {
    let seconds = session.isKept ? limits.keptWebSessionSeconds : limits.webSessionSeconds
    let end = session.created.advanced(seconds: limits.webSessionAgeSecondsMax)
    return min(now.advanced(seconds: seconds), end)
  }

  private static func token(
    _ kind: WebToken.Kind,
    of user: String,
    _ request: WebTokenRequest,
    _ secret: [UInt8],
    at now: Timestamp
  ) -> WebToken {
    var token = WebToken(
      id: 0,
      kind: kind,
      user: user,
      container: request.container,
      environment: request.environment,
      created: now,
      hash: secret.withUnsafeBytes { WebTokenHash(hashing: $0) }
    )
    (token.label, token.expires) = (request.label, request.expires)
    return token
  }
}
