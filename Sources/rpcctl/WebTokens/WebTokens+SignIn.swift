internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let apiToken = OptionKey<String?>(
    "api-token",
    value: "TOKEN",
    "The API token with which the session is used."
  )
  private static let staysSignedIn = OptionKey<Bool>(
    flag: "keep-signed-in",
    "Let the session last two weeks instead of 30 minutes."
  )

  static let issueWebToken = Verb(
    command: Command(
      "web-tokens issue",
      "Begin a web session of the caller, and show its web auth token.",
      options: [Option](of: apiToken, staysSignedIn),
      discussion: """
        Whoever has the token and the API token can act as the caller until it expires. The caller's oldest
        session ends when there are too many.

        Example:
          rpcctl web-tokens issue --api-token "$(cat api-token)" --keep-signed-in
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      guard let apiToken = invocation.arguments[apiToken] else {
        throw UsageError("use --api-token TOKEN, as `rpcctl web-tokens create` showed it")
      }
      let response = try await invocation.accounts().issueWebAuthToken(
        .init(apiToken: apiToken, keepSignedIn: invocation.arguments[staysSignedIn]),
        options: invocation.callOptions
      )
      var results = Results(columns: ["WEB AUTH TOKEN", "EXPIRES"])
      results.append(
        try Contract.json(response),
        [response.webAuthToken, response.expires?.text ?? ""]
      )
      return results.finish(invocation.output)
    }
  )

  static let approveSignIn = Verb(
    command: Command(
      "web-tokens approve",
      "Sign the caller in to the web page that shows a code.",
      operands: "CODE",
      discussion: """
        Only approve a code from a page that you opened yourself: whoever began the sign-in can then act as
        you. On a terminal the container and the label of its API token are shown first.

        Example:
          rpcctl web-tokens approve WDJB-MJHT
        """
    ),
    run: { invocation in
      let codes = try invocation.requireOperands("code")
      guard codes.count == 1 else { throw UsageError("unexpected operand '\(codes[1])'") }
      let accounts = try await invocation.accounts()
      let page = try await accounts.approveSignIn(
        .init(userCode: codes[0], validateOnly: true),
        options: invocation.callOptions
      )
      try invocation.confirm(
        "sign in to container '\(page.container)'"
          + (page.label.isEmpty ? "" : ", '\(page.label)'")
          + (page.keepSignedIn ? ", for two weeks" : "")
      )
      let response = try await accounts.approveSignIn(
        .init(userCode: codes[0]),
        options: invocation.callOptions
      )
      var results = Results(columns: ["CONTAINER", "LABEL", "LASTS"])
      results.append(
        try Contract.json(response),
        [response.container, response.label, response.keepSignedIn ? "two weeks" : "30 minutes"]
      )
      return results.finish(invocation.output)
    }
  )
}
