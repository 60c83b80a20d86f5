internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// Links of the dashboard that are opened in a browser whose user has a session already.
@Suite(.endsServers) struct DashboardLinkTests {
  /// What a browser keeps, and what its page does.
  private struct Browser {
    let port: UInt16
    var cookie = ""
    var requestToken = ""

    /// Signs in where nobody is.
    init(_ port: UInt16, _ user: Client) async throws {
      self.port = port
      let answer = try post(
        "sign-in",
        ["token": .string(try await DashboardLinkTests.link(of: user))]
      )
      try #require(answer.status == 200, "\(answer.text)")
      try keep(answer)
    }

    mutating func keep(_ answer: HTTPAnswer) throws {
      let sent = try #require(answer.headers["set-cookie"])
      cookie = String(sent.prefix { $0 != ";" })
      requestToken = try #require(answer.json?.object?["requestToken"]?.string)
    }

    func post(_ step: String, _ body: JSONValue, hasToken: Bool = true) throws -> HTTPAnswer {
      var headers = ["Origin: http://127.0.0.1:\(port)"]
      if !cookie.isEmpty { headers.append("Cookie: \(cookie)") }
      if hasToken, !cookie.isEmpty { headers.append("X-Tidings-Request-Token: \(requestToken)") }
      return try HTTPAnswer.to(
        "POST",
        "/dashboard/\(step)",
        at: port,
        headers: headers,
        body: Array(body.description.utf8)
      )
    }

    /// The page has no second token yet.
    func open(_ link: String) throws -> HTTPAnswer {
      try post("sign-in", ["token": .string(link)], hasToken: false)
    }

    /// Whose session it is; `nil`: it has ended.
    func user() throws -> String? {
      let answer = try HTTPAnswer.to(
        "GET",
        "/dashboard/session",
        at: port,
        headers: ["Cookie: \(cookie)"]
      )
      return answer.status == 200 ? answer.json?.object?["userName"]?.string : nil
    }
  }

  private static func link(of user: Client) async throws -> String {
    try await TidingsV1.AccountService.Client(user.transport).issueWebAuthToken(.init())
      .webAuthToken
  }

  private static func sessions(_ world: CredentialWorld, of user: String) async throws -> Int {
    try await world.root.listWebTokens(.init(userName: user)).tokens
      .count { $0.label == "dashboard" && $0.revoked == nil }
  }

  @Test("the link of another user replaces a session once its user says so, and only there")
  func ofAnother() async throws {
    let world = try await CredentialWorld.make()
    let eve = try await world.secure.client(try await world.secure.createUser("eve", roles: []))
    var browser = try await Browser(world.port, world.ada)
    let other = try await Browser(world.port, world.ada)
    let answer = try browser.open(try await Self.link(of: eve))
    #expect(answer.status == 202 && answer.headers["set-cookie"] == nil, "\(answer.text)")
    #expect(answer.json?.object?["userName"]?.string == "eve", "\(answer.text)")
    #expect(answer.json?.object?["roles"]?.array?.isEmpty == true, "\(answer.text)")
    #expect(try browser.user() == "ada")
    let offer: JSONValue = ["offer": try #require(answer.json?.object?["offer"], "\(answer.text)")]
    // What is sealed is no link.
    #expect(try browser.post("sign-in", ["token": .string("\(offer)")]).status == 400)
    // Neither pages without the second token nor other sessions can take it, also those of the same user.
    #expect(try browser.post("accept", offer, hasToken: false).status == 403)
    for step in ["accept", "decline"] {
      #expect(try other.post(step, offer).status == 401)
      #expect(try browser.post(step, [:]).status == 400)
      #expect(try browser.post(step, ["offer": "AAAA"]).status == 401)
    }
    // It is for the session, which another tab may renew meanwhile.
    let before = browser
    try browser.keep(try browser.post("renew", [:]))
    let accepted = try browser.post("accept", offer)
    #expect(accepted.status == 200, "\(accepted.text)")
    try browser.keep(accepted)
    #expect(try browser.user() == "eve")
    #expect(try before.user() == nil && other.user() == "ada")
    // Once.
    for again in [before, browser, other] {
      #expect(try again.post("accept", offer).status == 401)
    }
    #expect(try await Self.sessions(world, of: "eve") == 1)
  }

  @Test("declining the link of another user ends its session alone")
  func declined() async throws {
    let world = try await CredentialWorld.make()
    let root = try await world.secure.client()
    let browser = try await Browser(world.port, world.ada)
    let answer = try browser.open(try await Self.link(of: root))
    let offer: JSONValue = ["offer": try #require(answer.json?.object?["offer"], "\(answer.text)")]
    #expect(try await Self.sessions(world, of: "root") == 1)
    #expect(try browser.post("decline", offer).status == 200)
    #expect(try await Self.sessions(world, of: "root") == 0)
    #expect(try browser.post("accept", offer).status == 401)
    #expect(try browser.user() == "ada")
  }

  @Test("a link of the same user replaces a session, and one of anybody a session that has ended")
  func withoutQuestion() async throws {
    let clock = try ClockFault()
    let world = try await CredentialWorld.make(environment: clock.environment)
    var browser = try await Browser(world.port, world.ada)
    let before = browser
    let answer = try browser.open(try await Self.link(of: world.ada))
    try browser.keep(answer)
    #expect(try browser.user() == "ada" && before.user() == nil)
    try clock.setTimeOfDay(ahead: .seconds(31 * 60))
    #expect(try browser.user() == nil)
    let root = try await world.secure.client()
    try browser.keep(try browser.open(try await Self.link(of: root)))
    #expect(try browser.user() == "root")
  }

  @Test("an offer is good for 2 minutes")
  func expired() async throws {
    let clock = try ClockFault()
    let world = try await CredentialWorld.make(gatewayEnvironment: clock.environment)
    let root = try await world.secure.client()
    let browser = try await Browser(world.port, world.ada)
    let answer = try browser.open(try await Self.link(of: root))
    let offer: JSONValue = ["offer": try #require(answer.json?.object?["offer"], "\(answer.text)")]
    try clock.setTimeOfDay(ahead: .seconds(121))
    #expect(try browser.post("accept", offer).status == 401)
    #expect(try browser.user() == "ada")
  }
}
