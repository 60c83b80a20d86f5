internal import TidingsHTTP
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC
internal import TidingsWeb

/// Signs users in: a page shows a code, which the user approves in another program, with the user's own key.
///
/// The device authorization flow of RFC 8628. The page gives the token to the page that opened it, or goes on to the
/// callback of the API token.
struct SignIn: Sendable {
  let service: TidingsV1.GatewayService.Client
  let credentials: WebCredentials
  let urls: SealedURLs
  /// Addresses of proxies that say for whom they call.
  let trustedProxies: Set<String>

  init(
    _ transport: any ClientTransport,
    _ credentials: WebCredentials,
    _ urls: SealedURLs,
    trustedProxies: Set<String>
  ) {
    service = .init(transport)
    (self.credentials, self.urls, self.trustedProxies) = (credentials, urls, trustedProxies)
  }

  /// Answers the paths below `/sign-in`.
  func answer(_ request: HTTPRequest, _ step: String, uuid: String) async throws -> HTTPResponse {
    switch (request.head.method, step) {
    case ("GET", ""): return Self.page()
    case ("GET", "script"): return Self.script()
    case ("POST", "begin"), ("POST", "complete"): break
    default: throw WebFailure(.notFound, "there is nothing at this path")
    }
    let input = try request.input()
    let answer =
      step == "begin"
      ? try await begin(input, request.head, uuid)
      : try await complete(input, uuid)
    return WebAnswer.success(answer, uuid: uuid)
  }

  /// A new token for the session of a caller; `nil`: the caller has none.
  func renewed(_ caller: WebCaller, uuid: String) async throws -> String? {
    guard case .token(_, .some) = caller.credential else { return nil }
    return try await service.renewWebAuthToken(
      .init(),
      options: CallOptions(metadata: caller.metadata(requestID: uuid))
    ).webAuthToken
  }

  /// A call of the gateway's own, for a request.
  private static func options(_ uuid: String) -> CallOptions {
    var metadata = Metadata()
    metadata[Metadata.requestIDKey] = uuid
    return CallOptions(metadata: metadata)
  }

  /// `GET /sign-in`: the page; its script begins.
  static func page() -> HTTPResponse {
    HTTPResponse(
      200,
      headers: headers("text/html; charset=utf-8"),
      .bytes(Array(SignInPage.html.utf8))
    )
  }

  /// `GET /sign-in.js`.
  static func script() -> HTTPResponse {
    HTTPResponse(
      200,
      headers: headers("text/javascript; charset=utf-8"),
      .bytes(Array(SignInPage.script.utf8))
    )
  }

  private static func headers(_ type: String) -> [(name: String, value: String)] {
    [
      ("Content-Type", type), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
      ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"),
      (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; frame-ancestors 'none'; "
          + "base-uri 'none'; form-action 'none'"
      ),
    ]
  }

  /// `POST /sign-in/begin`: a code to show, and what completes the sign-in.
  private func begin(
    _ input: WebInput,
    _ head: HTTPHead,
    _ uuid: String
  ) async throws -> JSONObject {
    let caller = try WebCaller(QueryString(head.query), isDevelopment: false)
    guard case .token(let token, _) = caller.credential else {
      throw WebFailure(.authenticationFailed, "the parameter ckAPIToken is missing")
    }
    let entry = try await credentials.apiToken(token)
    let database = WebDatabase(
      container: entry.container,
      environment: entry.environment,
      scope: .private
    )
    let answer = try await service.beginSignIn(
      .init(
        apiToken: token,
        keepSignedIn: try input.bool("keepSignedIn") ?? false,
        clientAddress: ClientAddress.network(of: ClientAddress.of(head, trusting: trustedProxies))
      ),
      options: Self.options(uuid)
    )
    let content = SealedURLs.Content(
      purpose: .signIn,
      database: database,
      caller: caller,
      expires: SealedURLs.now + 600,
      group: answer.secret
    )
    return [
      "userCode": .string(answer.userCode),
      "container": .string(entry.container),
      "label": .string(entry.label),
      "state": .string(urls.seal(content)),
    ]
  }

  /// `POST /sign-in/complete`: whether the code was approved, and then the token.
  private func complete(_ input: WebInput, _ uuid: String) async throws -> JSONObject {
    guard let content = urls.open(try input.requiredString("state"), for: .signIn),
      let secret = content.group, case .token(let token, _) = content.caller.credential
    else { throw WebFailure(.notFound, "this sign-in has expired: begin again") }
    let answer = try await service.completeSignIn(
      .init(secret: secret),
      options: Self.options(uuid)
    )
    guard !answer.pending else { return ["pending": .bool(true)] }
    let entry = try await credentials.apiToken(token)
    return [
      "ckWebAuthToken": .string(answer.webAuthToken),
      "ckSession": .string(answer.webAuthToken),
      "origins": .array(entry.origins.map { .string($0) }),
      "callbackURL": .string(entry.callbackURL),
    ]
  }
}

/// The page, and its script.
enum SignInPage {
  static let html = """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Sign in</title>
    <h1>Sign in</h1>
    <p id="status" role="status">One moment…</p>
    <p><output id="code"></output></p>
    <p id="how" hidden>Approve this code with your own key: <code id="command"></code></p>
    <script type="module" src="/sign-in.js"></script>
    </html>

    """

  static let script = """
    const show = (id, text) => { document.getElementById(id).textContent = text; };
    const query = new URLSearchParams(location.search);
    const call = async (path, body) => {
      const response = await fetch(`/sign-in/${path}?${query}`, {method: "POST", body: JSON.stringify(body)});
      const answer = await response.json();
      if (!response.ok) throw new Error(answer.reason);
      return answer;
    };
    const finish = (answer) => {
      const message = {ckSession: answer.ckSession, ckWebAuthToken: answer.ckWebAuthToken};
      if (window.opener && answer.origins.length > 0) {
        for (const origin of answer.origins) window.opener.postMessage(message, origin);
        window.close();
      } else if (answer.callbackURL) {
        const url = new URL(answer.callbackURL);
        for (const [name, value] of Object.entries(message)) url.searchParams.set(name, value);
        location.replace(url);
      }
      show("status", "You are signed in. You can close this page.");
      show("code", "");
      document.getElementById("how").hidden = true;
    };
    try {
      const begun = await call("begin", {keepSignedIn: query.get("keepSignedIn") === "true"});
      show("status", `${begun.label || begun.container} asks you to sign in.`);
      show("code", begun.userCode);
      show("command", `rpcctl web-tokens approve ${begun.userCode}`);
      document.getElementById("how").hidden = false;
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 5000));
        const answer = await call("complete", {state: begun.state});
        if (!answer.pending) { finish(answer); break; }
      }
    } catch (error) {
      show("status", `Signing in failed: ${error.message}`);
    }

    """
}
