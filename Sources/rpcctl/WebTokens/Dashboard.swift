internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  fileprivate static let dashboardURL = OptionKey<String>(
    "url",
    value: "URL",
    default: "http://127.0.0.1:8080",
    "The web gateway that serves the dashboard."
  )
  private static let prints = OptionKey<Bool>(
    flag: "print",
    "Print the link instead of opening it in a browser."
  )

  static let dashboard = Verb(
    command: Command(
      "dashboard",
      "Sign in to the dashboard of a web gateway as the caller.",
      options: [Option](of: dashboardURL, prints),
      discussion: """
        The link signs one browser in, once, within 2 minutes. The session has the caller's rights; it ends
        after 30 minutes without a visit, when the caller signs out, and when the key of this call is
        revoked or expires. The browser is that of the environment variable BROWSER, or the system's.

        Examples:
          rpcctl dashboard
          rpcctl dashboard --url https://houses.example.org --print
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let url = try invocation.dashboardURL()
      let response = try await invocation.accounts().issueWebAuthToken(
        .init(),
        options: invocation.callOptions
      )
      // Behind the # it is not sent to the gateway, which would log it.
      let link = "\(url)/#/sign-in/\(response.webAuthToken)"
      if !invocation.arguments[prints] {
        do {
          try await Browser(invocation.program.environment).open(link)
          return .success
        } catch is CommandFailure {
          invocation.output.warn("no browser could be opened: open the link yourself")
        }
      }
      var results = Results(columns: ["LINK", "EXPIRES"])
      results.append(
        .object([
          "url": .string(link), "expires": try Contract.json(response).object?["expires"] ?? .null,
        ]),
        [link, response.expires?.text ?? ""]
      )
      return results.finish(invocation.output)
    }
  )
}

extension Invocation {
  /// Returns the gateway's URL, without a `/` at the end.
  fileprivate func dashboardURL() throws(UsageError) -> String {
    var url = arguments[Verb.dashboardURL]
    while url.hasSuffix("/") { url.removeLast() }
    guard url.hasPrefix("http://") || url.hasPrefix("https://"),
      url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), !url.contains("#"), !url.contains("?")
    else {
      throw UsageError("invalid --url '\(url)': use http://HOST:PORT or https://HOST")
    }
    return url
  }
}
