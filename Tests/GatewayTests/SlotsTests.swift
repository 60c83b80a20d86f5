internal import Foundation
internal import RPCTestSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

/// Event streams and uploads have a number of slots in all, and of each owner.
@Suite(.endsServers, .timeLimit(.minutes(10))) struct SlotsTests {
  private static func head(of user: String) -> String {
    "GET \(EventReader.path)?ckAPIToken=x\(GatewayWorld.token(user)) HTTP/1.1\r\nHost: localhost\r\n"
  }

  /// Asks for a stream, and reads no more than the begin of the answer.
  private static func begin(_ port: UInt16, of user: String = "ada") async throws -> HTTPAnswer {
    let connection = Lent(try HTTPConnection(port))
    connection.value.send(head(of: user) + "Connection: close\r\n\r\n")
    let bytes = try await blocking {
      var bytes: [UInt8] = []
      while true {
        let more = connection.value.read()
        bytes += more
        guard let answer = HTTPAnswer(bytes), !more.isEmpty else {
          if more.isEmpty { return bytes }
          continue
        }
        if answer.status == 200 { return bytes }
      }
    }
    return try #require(HTTPAnswer(bytes))
  }

  /// Waits until there is a slot for ada again, by asking for one.
  private static func waitForSlot(_ port: UInt16) async throws {
    try await waitUntil("a slot for a stream", pausing: .milliseconds(50)) {
      try await begin(port).status == 200
    }
  }

  @Test("a new event stream takes the place of the user's oldest one; others keep theirs")
  func streams() async throws {
    let world = try await GatewayWorld.start(["--streams-per-user-max", "2"])
    let client = try await world.server.client(as: "ada")
    let saved = try await client.subscriptions.modifySubscriptions(
      .init(databaseID: .init(container: "app"), subscriptionsToSave: [.init("s", "Houses")])
    )
    try #require(saved.results.first?.subscription != nil)
    var readers: [EventReader] = []
    for user in ["bob", "ada", "ada", "ada"] {
      let reader = try EventReader(world.port, user: user)
      try await reader.seen.wait("the answer") { $0.status == 200 }
      readers.append(reader)
    }
    let displaced = try await readers[1].seen.wait("the end of the oldest") { $0.hasFailed }
    let failure = (try JSONValue(parsing: displaced.events.last?.data ?? "")).object
    #expect(failure?["serverErrorCode"]?.string == "THROTTLED")
    #expect(failure?["retryAfter"]?.number?.exactly(Int64.self) == 30)
    _ = try await client.modify([.init("Houses", "a")], in: .init(container: "app"))
    for reader in readers[2...] { try await reader.seen.wait("it") { $0.names == ["a"] } }
    #expect(readers[1].seen.value.names == [])
    #expect(!readers[0].seen.value.hasFailed)
  }

  @Test("a stream whose client reads nothing gives way, too")
  func unread() async throws {
    let world = try await GatewayWorld.start(["--streams-per-user-max", "1"])
    let client = try await world.server.client(as: "ada")
    let saved = try await client.subscriptions.modifySubscriptions(
      .init(
        databaseID: .init(container: "app"),
        subscriptionsToSave: [.init("s", "Houses", keys: ["text"])]
      )
    )
    try #require(saved.results.first?.subscription != nil)
    // More than the system keeps for a connection.
    let text = String(repeating: "long ", count: 12_000)
    for number in 0..<4 {
      let records = (0..<25).map { index in
        TidingsV1.Record("Houses", "r\(number)-\(index)", ["text": .init(.stringValue(text))])
      }
      _ = try await client.modify(records, in: .init(container: "app"))
    }
    let unread = try HTTPConnection(world.port)
    unread.send(Self.head(of: "ada") + "\r\n")
    let begin = try await blocking { [unread = Lent(unread)] in unread.value.read() }
    #expect(HTTPAnswer(begin)?.status == 200)
    let next = try EventReader(world.port, query: "&from=now")
    try await next.seen.wait("a position") { !$0.position.isEmpty }
    _ = try await client.modify([.init("Houses", "last")], in: .init(container: "app"))
    try await next.seen.wait("the notification") { $0.names == ["last"] }
    withExtendedLifetime(unread) {}
  }

  @Test("polls give way to nobody")
  func polls() async throws {
    let operatorPort = ReservedPort()
    let world = try await GatewayWorld.start([
      "--streams-per-user-max", "1", "--operator-endpoint", "127.0.0.1:\(operatorPort.number)",
    ])
    let created = try HTTPAnswer.to(
      "POST",
      "/device/1/app/development/tokens/create?ckAPIToken=x\(GatewayWorld.token("ada"))",
      at: world.port,
      body: Array(#"{"apnsEnvironment": "development"}"#.utf8)
    )
    let url = try #require(created.json?.object?["webcourierURL"]?.string)
    let start = try #require(url.range(of: "/courier/")?.lowerBound)
    let poll = try HTTPConnection(world.port)
    poll.send("GET \(url[start...]) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    try await waitUntil("the poll to wait") { try streamCount(at: operatorPort) == 1 }
    let refused = try await Self.begin(world.port)
    #expect(refused.status == 429 && refused.code == "THROTTLED", "\(refused.text)")
    #expect(refused.headers["retry-after"] == "5")
    #expect(
      refused.json?.object?["reason"]?.string
        == "a user has at most 1 streams and polls at a time, and all are polls: close one"
    )
    withExtendedLifetime(poll) {}
  }

  @Test("a stream ends whose client is gone without a word, as when its network is")
  func lostNetwork() async throws {
    let operatorPort = ReservedPort()
    let world = try await GatewayWorld.start([
      "--operator-endpoint", "127.0.0.1:\(operatorPort.number)",
    ])
    let connection = try HTTPConnection(world.port)
    connection.send(Self.head(of: "ada") + "\r\n")
    let begin = try await blocking { [connection = Lent(connection)] in connection.value.read() }
    #expect(HTTPAnswer(begin)?.status == 200)
    #expect(try streamCount(at: operatorPort) == 1)
    connection.loseNetwork()
    try await waitUntil("the end of the stream", pausing: .milliseconds(500)) {
      try streamCount(at: operatorPort) == 0
    }
    withExtendedLifetime(connection) {}
  }

  /// The event streams and polls of a gateway.
  private func streamCount(at operatorPort: ReservedPort) throws -> Int? {
    let lines = try HTTPAnswer.to("GET", "/metrics", at: operatorPort.number).text.split(
      separator: "\n"
    )
    return lines.first { $0.hasPrefix("tidings_event_streams ") }.flatMap { Int($0.dropFirst(22)) }
  }

  @Test("who is gone before the stream begins keeps no slot", arguments: [0, 100_000])
  func goneBefore(furtherBytes: Int) async throws {
    let world = try await GatewayWorld.start(["--streams-per-user-max", "1"])
    #expect(try world.post("private/zones/list").status == 200)
    try world.server.process.pause()
    for _ in 0..<4 {
      let connection = try HTTPConnection(world.port)
      connection.resetsAtEnd()
      connection.send(Self.head(of: "ada") + "\r\n" + String(repeating: "x", count: furtherBytes))
    }
    world.server.process.resume()
    try await Self.waitForSlot(world.port)
  }

  @Test("a caller takes half of the slots for uploads at most")
  func uploads() async throws {
    let world = try await GatewayWorld.start()
    func uploadPath(of user: String) throws -> String {
      let token: JSONValue = ["recordType": "Notes", "fieldName": "file"]
      let asked = try world.post("private/assets/upload", ["tokens": .array([token])], as: user)
      let url = asked.json?.object?["tokens"]?.array?.first?.object?["url"]?.string
      let start = try #require(url?.range(of: "/assets/")?.lowerBound)
      return String(try #require(url)[start...])
    }
    let path = try uploadPath(of: "ada")
    var connections: [HTTPConnection] = []
    for _ in 0..<32 {
      let connection = try HTTPConnection(world.port)
      connection.send("POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n")
      // Accepted, or refused: before that nothing says that it has a slot.
      connection.send("Expect: 100-continue\r\n\r\n")
      let bytes = try await blocking { [connection = Lent(connection)] in connection.value.read() }
      #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 100 "))
      connections.append(connection)
    }
    // None of them is silent for long.
    for connection in connections { connection.send("x") }
    let refused = try HTTPAnswer.to("POST", path, at: world.port, body: Array("content".utf8))
    #expect(refused.status == 429, "\(refused.text)")
    #expect(
      refused.json?.object?["reason"]?.string
        == "a user has at most 32 uploads at a time: wait for one to end"
    )
    let other = try uploadPath(of: "bob")
    #expect(
      try HTTPAnswer.to("POST", other, at: world.port, body: Array("content".utf8)).status == 200
    )
    connections = []
    try await waitUntil("a slot for an upload", pausing: .milliseconds(50)) {
      try HTTPAnswer.to("POST", path, at: world.port, body: Array("content".utf8)).status == 200
    }
  }

  @Test("sessions of one user do not add up")
  func sessions() async throws {
    let world = try await CredentialWorld.make()
    let asked = #"{"tokens": [{"recordType": "Notes", "fieldName": "file"}]}"#
    func uploadPath(_ token: String) throws -> String {
      let answer = try world.post("private/assets/upload", user: token, body: asked)
      let url = answer.json?.object?["tokens"]?.array?.first?.object?["url"]?.string
      let start = try #require(url?.range(of: "/assets/")?.lowerBound, "\(answer.text)")
      return String(try #require(url)[start...])
    }
    var connections: [HTTPConnection] = []
    for _ in 0..<2 {
      let path = try uploadPath(try await world.token())
      for _ in 0..<16 {
        let connection = try HTTPConnection(world.port)
        connection.send(
          "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n"
        )
        _ = try await blocking { [connection = Lent(connection)] in connection.value.read() }
        connections.append(connection)
      }
    }
    let path = try uploadPath(try await world.token())
    let refused = try HTTPAnswer.to("POST", path, at: world.port, body: Array("content".utf8))
    #expect(refused.status == 429, "\(refused.text)")
    withExtendedLifetime(connections) {}
  }

  @Test("browsers are asked to use HTTPS alone where that is set")
  func strictTransport() async throws {
    let silent = try await GatewayWorld.start()
    #expect(try silent.post("private/zones/list").headers["strict-transport-security"] == nil)
    let world = try await GatewayWorld.start([
      "--public-url", "https://houses.example.org", "--strict-transport-seconds", "31536000",
    ])
    for path in ["/nothing", "/tidings.js", GatewayWorld.path("private/zones/list")] {
      let answer = try HTTPAnswer.to("GET", path, at: world.port)
      #expect(answer.headers["strict-transport-security"] == "max-age=31536000", "\(path)")
    }
  }
}
