internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto

extension ItemError {
  /// What the caller of a refused web credential gets.
  init(_ refusal: WebCredentialRefusal) {
    let remedy =
      switch refusal.kind {
      case .apiToken, .serverKey: "ask an administrator for another one"
      case .session: "sign in again"
      }
    let problem =
      switch refusal.reason {
      case .unknown: "is not valid"
      case .expired(let since): "expired at \(since.utcText)"
      case .revoked(let since): "was revoked at \(since.utcText)"
      }
    self.init(.notAuthenticated, "the \(refusal.kind.name) \(problem): \(remedy)")
  }
}

extension WebToken.Kind {
  /// What it is, for people.
  fileprivate var name: String {
    switch self {
    case .apiToken: "API token"
    case .session: "web auth token"
    case .serverKey: "server key"
    }
  }

  /// Which credential was wrong, for programs: the reason of an ErrorInfo.
  var reason: String {
    switch self {
    case .apiToken: "API_TOKEN"
    case .session: "WEB_AUTH_TOKEN"
    case .serverKey: "SERVER_KEY"
    }
  }
}

extension TidingsV1.WebToken {
  init(_ token: WebToken) {
    self.init(
      id: UInt64(token.id),
      kind: .init(token.kind),
      container: token.container,
      environment: .init(token.environment),
      label: token.label,
      userName: token.user,
      allowedOrigins: token.origins,
      callbackURL: token.callbackURL,
      apiTokenID: UInt64(token.apiToken),
      publicKey: token.kind == .serverKey ? token.publicKey : [],
      keyID: token.keyID,
      created: .init(token.created),
      expires: token.expires.map { .init($0) },
      revoked: token.revoked.map { .init($0) },
      keepSignedIn: token.isKept
    )
  }
}

extension TidingsV1.WebTokenKind {
  init(_ kind: WebToken.Kind) { self.init(rawValue: Int32(kind.rawValue)) }

  /// The kind that is meant; `nil`: all.
  var model: WebToken.Kind? {
    get throws(ItemError) {
      if rawValue == 0 { return nil }
      guard let kind = WebToken.Kind(rawValue: Int64(rawValue)) else {
        throw ItemError(.invalidArguments, "kind \(rawValue) is not known")
      }
      return kind
    }
  }
}

extension TidingsV1.CreateWebTokenRequest {
  /// What is to be created.
  var model: WebTokenRequest {
    get throws {
      let created: WebTokenRequest.Credential
      switch credential {
      case .apiToken(let new)?:
        created = .apiToken(origins: new.allowedOrigins, callbackURL: new.callbackURL)
      case .serverKey(let new)?:
        created = .serverKey(user: new.userName, publicKey: new.publicKey)
      case nil:
        throw ItemError(
          .invalidArguments,
          "the request names nothing to create: set api_token or server_key"
        )
      }
      return WebTokenRequest(
        container: try containerName(container),
        environment: try environment.model,
        label: label,
        expires: try expires?.model,
        created
      )
    }
  }
}
