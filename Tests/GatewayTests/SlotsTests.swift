internal import Foundation
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

  @Test("a user has as many event streams as one may have; others have theirs")
  func streams() async throws {
    let world = try await GatewayWorld.start(["--streams-per-user-max", "2"])
    let client = try await world.server.client(as: "ada")
    let saved = try await client.subscriptions.modifySubscriptions(
      .init(databaseID: .init(container: "app"), subscriptionsToSave: [.init("s", "Houses")])
    )
    try #require(saved.results.first?.subscription != nil)
    // One that is closed soon, and one that lasts.
    var short: HTTPConnection? = try HTTPConnection(world.port)
    short?.resetsAtEnd()
    short?.send(Self.head(of: "ada") + "\r\n")
    let bytes = try await blocking { [short = try Lent(#require(short))] in short.value.read() }
    #expect(HTTPAnswer(bytes)?.status == 200)
    let lasting = try EventReader(world.port)
    try await lasting.seen.wait("answer") { $0.status == 200 }
    let refused = try await Self.begin(world.port)
    #expect(refused.status == 429 && refused.code == "THROTTLED", "\(refused.text)")
    #expect(refused.headers["retry-after"] == "5")
    #expect(
      refused.json?.object?["reason"]?.string
        == "a user has at most 2 streams and polls at a time: close one"
    )
    #expect(try await Self.begin(world.port, of: "bob").status == 200)
    // What is sent to who is gone ends the stream.
    short = nil
    _ = try await client.modify([.init("Houses", "a")], in: .init(container: "app"))
    try await Self.waitForSlot(world.port)
    try await lasting.seen.wait("the notification") { $0.names == ["a"] }
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
