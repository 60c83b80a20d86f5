internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsJSON

/// What lasts has slots, and nobody takes those of all others.
@Suite(.endsServers) struct SlotsTests {
  private static func events(of user: String) -> String {
    "/events/app/development?ckAPIToken=x\(GatewayWorld.token(user))"
  }

  @Test("a user has as many event streams as one may have; others have theirs")
  func streams() async throws {
    let world = try await GatewayWorld.start(["--streams-per-user-max", "2"])
    let path = Self.events(of: "ada")
    // One that is closed soon, and one that lasts.
    var short: HTTPConnection? = try HTTPConnection(world.port)
    short?.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
    let bytes = try await blocking { [short = try Lent(#require(short))] in short.value.read() }
    #expect(HTTPAnswer(bytes)?.status == 200)
    let lasting = try EventReader(world.port)
    try await lasting.seen.wait("answer") { $0.status == 200 }
    let refused = try HTTPAnswer.to("GET", path, at: world.port)
    #expect(refused.status == 429 && refused.code == "THROTTLED", "\(refused.text)")
    #expect(refused.headers["retry-after"] == "5")
    #expect(
      refused.json?.object?["reason"]?.string
        == "a user has at most 2 streams and polls at a time: close one"
    )
    let other = try EventReader(world.port, user: "bob")
    try await other.seen.wait("answer") { $0.status == 200 }
    short = nil
    // A slot is free again when its stream has ended.
    while true {
      let reader = try EventReader(world.port)
      if try await reader.seen.wait("an answer", until: { $0.status != 0 }).status == 200 { break }
    }
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
      connection.send("POST \(path) HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n")
      // Accepted, or refused: before that nothing says that it has a slot.
      connection.send("Expect: 100-continue\r\n\r\n")
      let bytes = try await blocking { [connection = Lent(connection)] in connection.value.read() }
      #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 100 "))
      connections.append(connection)
    }
    let refused = try HTTPAnswer.to("POST", path, at: world.port, body: Array("content".utf8))
    #expect(refused.status == 429, "\(refused.text)")
    #expect(
      refused.json?.object?["reason"]?.string
        == "a caller has at most 32 uploads at a time: wait for one to end"
    )
    let other = try uploadPath(of: "bob")
    #expect(
      try HTTPAnswer.to("POST", other, at: world.port, body: Array("content".utf8)).status == 200
    )
    connections = []
    while try HTTPAnswer.to("POST", path, at: world.port, body: Array("content".utf8)).status != 200
    {}
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

  /// Unchecked: handed to one thread, which alone uses it.
  private struct Lent: @unchecked Sendable {
    let value: HTTPConnection
    init(_ value: HTTPConnection) { self.value = value }
  }
}
