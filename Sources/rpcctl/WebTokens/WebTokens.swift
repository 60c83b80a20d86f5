internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  /// The verbs of the credentials of callers on the web.
  static let webTokenVerbs = [
    createWebToken, createServerKey, listWebTokens, revokeWebTokens, issueWebToken, approveSignIn,
  ]

  fileprivate static let label = OptionKey<String?>(
    "label",
    value: "TEXT",
    mayBeEmpty: true,
    "A label for the credential, for example website."
  )
  private static let origin = OptionKey<[String]>(
    list: "origin",
    value: "ORIGIN",
    "An origin whose pages may use the API token, for example https://example.org (default: all); repeatable."
  )
  private static let callbackURL = OptionKey<String?>(
    "callback-url",
    value: "URL",
    "Where a sign-in ends (default: in the page that began it)."
  )
  private static let user = OptionKey<String?>(
    "user",
    value: "NAME",
    completion: .live("users"),
    "The user of the credential."
  )
  private static let kind = OptionKey<String?>(
    "kind",
    value: "KIND",
    choices: ["api-token", "session", "server-key"],
    "Only credentials of this kind: api-token, session or server-key (default: all)."
  )

  private static let createWebToken = Verb(
    command: Command(
      "web-tokens create",
      "Create an API token, with which web pages use a container.",
      options: [Option](of: label, keyExpiry, origin, callbackURL),
      discussion: """
        The token is for the container and the environment of the call, and is shown only once. Whoever has
        it can read what anyone may read, and users can sign in with it.

        Example:
          rpcctl web-tokens create --label website --origin https://example.org
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let response = try await invocation.administration().createWebToken(
        try invocation.webTokenRequest(
          .apiToken(
            .init(
              allowedOrigins: invocation.arguments[origin],
              callbackURL: invocation.arguments[callbackURL] ?? ""
            )
          )
        ),
        options: invocation.callOptions
      )
      let token = response.token ?? .init()
      var object = try Contract.json(token).object ?? [:]
      object.append("apiToken", .string(response.apiToken))
      var results = Results(columns: ["ID", "API TOKEN", "CONTAINER", "LABEL"])
      results.append(
        .object(object),
        ["\(token.id)", response.apiToken, token.location, token.label]
      )
      return results.finish(invocation.output)
    }
  )

  private static let createServerKey = Verb(
    command: Command(
      "web-tokens create-server-key",
      "Admit a P-256 key with which a server signs its requests.",
      operands: "FILE",
      completion: .files,
      options: [Option](of: user, label, keyExpiry),
      discussion: """
        FILE has the public key, in PEM (BEGIN PUBLIC KEY) or DER. The server's calls are those of the user, in
        the container and the environment of this call. The answer has the key ID that requests name.

        Examples:
          openssl ecparam -name prime256v1 -genkey -noout -out eckey.pem
          openssl ec -in eckey.pem -pubout -out eckey-pub.pem
          rpcctl web-tokens create-server-key eckey-pub.pem --user importer
        """
    ),
    run: { invocation in
      let files = try invocation.requireOperands("key file")
      guard files.count == 1 else { throw UsageError("unexpected operand '\(files[1])'") }
      guard let user = invocation.arguments[user] else {
        throw UsageError("use --user NAME: the user of the key's calls")
      }
      let bytes = try invocation.input.readNamed(files[0])
      let response = try await invocation.administration().createWebToken(
        try invocation.webTokenRequest(
          .serverKey(.init(userName: user, publicKey: try ServerKeyFile(bytes).publicKey))
        ),
        options: invocation.callOptions
      )
      return try printWebTokens(response.token.map { [$0] } ?? [], invocation.output)
    }
  )

  private static let listWebTokens = Verb(
    command: Command(
      "web-tokens list",
      "List the API tokens, server keys and web sessions of all users.",
      options: [Option](of: kind, user),
      discussion: """
        No secrets are shown. Sessions that have ended are listed for a day.

        Example:
          rpcctl web-tokens list --kind session --user ada -o table
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let administration = try await invocation.administration()
      var request = TidingsV1.ListWebTokensRequest(
        kind: invocation.arguments[kind].map { .init(name: $0) } ?? .unspecified,
        userName: invocation.arguments[user] ?? ""
      )
      var tokens: [TidingsV1.WebToken] = []
      while true {
        let page = try await administration.listWebTokens(
          request,
          options: invocation.callOptions
        )
        tokens += page.tokens
        guard page.moreComing, let last = page.tokens.last, last.id != request.after else { break }
        request.after = last.id
      }
      return try printWebTokens(tokens, invocation.output)
    }
  )

  private static let revokeWebTokens = Verb(
    command: Command(
      "web-tokens revoke",
      "Revoke web credentials permanently.",
      operands: "ID…",
      completion: .live("web-tokens"),
      discussion: """
        Calls with a revoked credential are rejected from the next one on. With an API token its sessions
        end.

        Example:
          rpcctl web-tokens revoke 12
        """
    ),
    run: { invocation in
      let ids = try invocation.requireOperands("ID").map { text in
        guard let id = UInt64(text) else {
          throw UsageError("'\(text)' is no ID of a web credential")
        }
        return id
      }
      try invocation.confirm("permanently revoke \(counted(ids.count, "web credential"))")
      let administration = try await invocation.administration()
      var tokens: [TidingsV1.WebToken] = []
      for id in ids {
        let response = try await administration.revokeWebToken(
          .init(id: id),
          options: invocation.callOptions
        )
        if let token = response.token { tokens.append(token) }
      }
      return try printWebTokens(tokens, invocation.output)
    }
  )

  private static func printWebTokens(
    _ tokens: [TidingsV1.WebToken],
    _ output: Output
  ) throws -> ExitCode {
    var results = Results(columns: ["ID", "KIND", "CONTAINER", "USER", "STATE", "LABEL"])
    for token in tokens {
      let kind = token.kind.name
      var object = try Contract.json(token).object ?? [:]
      object["kind"] = .string(kind)
      results.append(
        .object(object),
        [
          "\(token.id)", kind, token.location, token.userName, token.state,
          token.kind == .serverKey && token.label.isEmpty ? token.keyID : token.label,
        ]
      )
    }
    return results.finish(output)
  }
}

extension Invocation {
  /// Returns a request with the values of the options.
  fileprivate func webTokenRequest(
    _ credential: TidingsV1.CreateWebTokenRequest.Credential
  ) throws -> TidingsV1.CreateWebTokenRequest {
    .init(
      container: settings.container,
      environment: settings.environment,
      label: arguments[Verb.label] ?? "",
      expires: try expires(),
      credential: credential
    )
  }
}

extension TidingsV1.WebTokenKind {
  private static let names: [(Self, String)] = [
    (.apiToken, "api-token"), (.session, "session"), (.serverKey, "server-key"),
  ]

  /// The kind of a choice.
  fileprivate init(name: String) {
    self = Self.names.first { $0.1 == name }?.0 ?? .unspecified
  }

  /// Its choice.
  fileprivate var name: String { Self.names.first { $0.0 == self }?.1 ?? "" }
}

extension TidingsV1.WebToken {
  /// Container and environment as text.
  fileprivate var location: String {
    container + (environment == .production ? " (production)" : "")
  }

  /// The state of the credential as text.
  fileprivate var state: String {
    if let revoked { return "revoked \(revoked.text)" }
    guard let expires else { return "valid" }
    let isOver = wallClock().since(expires) >= .zero
    return isOver ? "expired \(expires.text)" : "valid until \(expires.text)"
  }
}
