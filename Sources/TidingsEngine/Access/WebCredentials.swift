internal import TidingsKeys
internal import TidingsModel

/// Decides whether web credentials are good, from memory.
struct WebCredentials {
  let directory: WebTokenDirectory
  let admittedKeys: AdmittedKeys
  let handles: SessionHandles

  /// The credential of a caller.
  ///
  /// - Throws: `WebCredentialRefusal`; `SQLError`.
  func find(_ text: WebCredentialText, at now: Timestamp) throws -> WebToken {
    if let key = text.serverKey { return try serverKey(key, at: now) }
    if text.apiToken == nil, let webAuthToken = text.webAuthToken {
      return try checkDashboard(try session(webAuthToken, text, at: now), text)
    }
    let apiToken = try find(
      .apiToken,
      text.apiToken.flatMap { WebTokenHash(ofAPIToken: $0) },
      at: now
    )
    guard let webAuthToken = text.webAuthToken else { return apiToken }
    let session = try session(webAuthToken, text, at: now)
    guard session.apiToken == apiToken.id else {
      throw WebCredentialRefusal(.session, .unknown)
    }
    return session
  }

  /// A server key as calls name it (`ServerKeyText`).
  ///
  /// - Throws: `WebCredentialRefusal`; `SQLError`.
  func serverKey(_ text: UnsafeRawBufferPointer, at now: Timestamp) throws -> WebToken {
    guard text.count > ServerKeyText.idBytes else {
      return try find(.serverKey, WebTokenHash(hexadecimal: text), at: now)
    }
    let hash = WebTokenHash(hashing: text)
    if try directory.contains(hash) { return try find(.serverKey, hash, at: now) }
    let id = UnsafeRawBufferPointer(rebasing: text[..<ServerKeyText.idBytes])
    let token = try find(.serverKey, WebTokenHash(hexadecimal: id), at: now)
    guard ServerKeyText.text(of: token).utf8.elementsEqual(text) else {
      throw WebCredentialRefusal(.serverKey, .unknown)
    }
    return token
  }

  /// The session of a web auth token, or of a handle, which does not renew it.
  private func session(
    _ webAuthToken: UnsafeRawBufferPointer,
    _ text: WebCredentialText,
    at now: Timestamp
  ) throws -> WebToken {
    guard let id = handles.id(in: webAuthToken) else {
      return try find(.session, WebTokenHash(ofWebAuthToken: webAuthToken), at: now)
    }
    guard !text.isRenewal, let session = try directory.token(id), session.kind == .session,
      handles.isHandle(webAuthToken, of: session)
    else { throw WebCredentialRefusal(.session, .unknown) }
    try check(session, at: now)
    directory.follow(id)
    return session
  }

  /// The session of a dashboard: one that has no API token.
  private func checkDashboard(
    _ session: WebToken,
    _ text: WebCredentialText
  ) throws -> WebToken {
    guard session.isOfDashboard else { throw WebCredentialRefusal(.apiToken, .unknown) }
    guard text.isRenewal || session.previous != nil,
      // One that began while authentication was off.
      !text.requiresKey || !session.publicKey.isEmpty
    else { throw WebCredentialRefusal(.session, .unknown) }
    return session
  }

  /// The credential of a kind with a hash.
  ///
  /// - Throws: `WebCredentialRefusal`; `SQLError`.
  func find(_ kind: WebToken.Kind, _ hash: WebTokenHash?, at now: Timestamp) throws -> WebToken {
    guard let hash, let token = try directory.token(hash, at: now), token.kind == kind else {
      throw WebCredentialRefusal(kind, .unknown)
    }
    try check(token, at: now)
    return token
  }

  /// The credential with an ID.
  ///
  /// - Throws: `WebCredentialRefusal`; `SQLError`.
  func token(_ id: Int64, at now: Timestamp) throws -> WebToken {
    guard let token = try directory.token(id) else {
      throw WebCredentialRefusal(.session, .unknown)
    }
    try check(token, at: now)
    return token
  }

  private func check(_ token: WebToken, at now: Timestamp) throws {
    if let revoked = token.revoked {
      throw WebCredentialRefusal(token.kind, .revoked(revoked))
    }
    if let expires = token.expires, expires <= now {
      throw WebCredentialRefusal(token.kind, .expired(expires))
    }
    guard token.kind == .session else { return }
    guard !token.isOfDashboard else {
      guard let key = PublicKey(token.publicKey) else { return }
      // Says what was committed last, as for connections.
      guard admittedKeys.number(of: key, at: now) != nil else {
        throw WebCredentialRefusal(.session, .unknown)
      }
      return
    }
    guard let apiToken = try directory.token(token.apiToken) else {
      throw WebCredentialRefusal(.apiToken, .unknown)
    }
    try check(apiToken, at: now)
  }
}
