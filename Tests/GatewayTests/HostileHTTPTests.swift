internal import Foundation
internal import Glibc
internal import TestSupport
internal import Testing
internal import TidingsJSON

/// Requests that no honest client sends: none is taken for something else, none stops the gateway.
@Suite(.endsServers) struct HostileHTTPTests {
  private static let path = GatewayWorld.path("private/zones/list")

  @Test("a request whose end is ambiguous is refused, and nothing behind it is read")
  func smuggling() async throws {
    let world = try await GatewayWorld.start()
    let inner =
      "GET \(GatewayWorld.path("private/users/caller")) HTTP/1.1\r\nHost: localhost\r\n\r\n"
    let heads = [
      "Content-Length: 2\r\nContent-Length: 2\r\n",
      "Content-Length: 2\r\nContent-Length: \(inner.utf8.count)\r\n",
      "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
      "Transfer-Encoding: xchunked\r\n",
      "Content-Length: +2\r\n", "Content-Length: 2, 2\r\n", "Content-Length: 0x2\r\n",
      "Content-Length: -1\r\n",
      "Host: y\r\nContent-Length: 2\r\n",
    ]
    for head in heads {
      let text = "POST \(Self.path) HTTP/1.1\r\nHost: localhost\r\n\(head)\r\n{}\(inner)"
      let connection = try HTTPConnection(world.port)
      connection.send(text)
      let bytes = try await blocking { [connection = Lent(connection)] in connection.value.readAll()
      }
      let answers = String(decoding: bytes, as: UTF8.self).components(of: "HTTP/1.1 ")
      #expect(answers.allSatisfy { $0.hasPrefix("4") }, "\(head): \(answers)")
      #expect(!answers.contains { $0.contains("userRecordName") }, "\(head): \(answers)")
    }
    #expect(try world.post("private/zones/list").status == 200)
  }

  @Test("a head whose lines do not end as they must, or continue, is refused")
  func lineEnds() async throws {
    let world = try await GatewayWorld.start()
    let inner =
      "GET \(GatewayWorld.path("private/users/caller")) HTTP/1.1\r\nHost: localhost\r\n\r\n"
    let line = "POST \(Self.path) HTTP/1.1"
    let heads = [
      // Line feeds alone.
      "\(line)\nHost: localhost\r\nContent-Length: 2\r\n\r\n",
      "\(line)\r\nHost: localhost\nContent-Length: 2\r\n\r\n",
      "\(line)\r\nHost: localhost\r\nContent-Length: 2\n\r\n",
      "\(line)\nHost: localhost\nContent-Length: 2\n\n",
      // Headers that hide in others.
      "\(line)\r\nHost: localhost\r\nX: a\nContent-Length: 2\r\nY: b\r\n\r\n",
      // Lines that continue.
      "\(line)\r\nHost: localhost\r\nX: a\r\n b\r\nContent-Length: 2\r\n\r\n",
      "\(line)\r\nHost: localhost\r\nContent-Length:\r\n 2\r\n\r\n",
      "\(line)\r\n Host: localhost\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n",
      // Space before the colon, no colon, no name.
      "\(line)\r\nHost: localhost\r\nContent-Length : 2\r\n\r\n",
      "\(line)\r\nHost : x\r\nContent-Length: 2\r\n\r\n",
      "\(line)\r\nHost: localhost\r\nTransfer-Encoding : chunked\r\nContent-Length: 2\r\n\r\n",
      "\(line)\r\nHost: localhost\r\nContent-Length 2\r\n\r\n",
      "\(line)\r\nHost: localhost\r\n: 2\r\nContent-Length: 2\r\n\r\n",
      // Carriage returns alone, and zeros.
      "\(line)\r\nHost: localhost\r\nX: a\rContent-Length: 2\r\n\r\n",
      "\(line)\r\nHost: localhost\r\nX: a\u{0}b\r\nContent-Length: 2\r\n\r\n",
      "\(line)\r\nHost: localhost\u{0}y\r\nContent-Length: 2\r\n\r\n",
      // A host that is none, with which URLs in answers would begin.
      "\(line)\r\nHost: x/y\r\nContent-Length: 2\r\n\r\n",
      "\(line)\r\nHost: \(String(repeating: "x", count: 256))\r\nContent-Length: 2\r\n\r\n",
    ]
    for head in heads { try await expectRefusal(head + "{}" + inner, world) }
    // Space behind a value is none of it.
    let padded =
      "\(line)\r\nHost: localhost \t\r\nX: y  \r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
    #expect(try HTTPAnswer.raw(Array(padded.utf8), at: world.port).status == 200)
  }

  @Test("chunks whose size is no hexadecimal number end the connection")
  func chunks() async throws {
    let world = try await GatewayWorld.start()
    let head = "POST \(Self.path) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    let inner =
      "GET \(GatewayWorld.path("private/users/caller")) HTTP/1.1\r\nHost: localhost\r\n\r\n"
    for body in [
      "0x2\r\n{}\r\n0\r\n\r\n", "-2\r\n{}\r\n0\r\n\r\n", "+2\r\n{}\r\n0\r\n\r\n",
      "g\r\n{}\r\n0\r\n\r\n", "\r\n{}\r\n0\r\n\r\n",
      "FFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n", "2\r\n{}XX0\r\n\r\n",
    ] { try await expectRefusal(head + body + inner, world) }
    let whole = head.replacingOccurrences(of: "\r\n\r\n", with: "\r\nConnection: close\r\n\r\n")
    for body in ["2\r\n{}\r\n0\r\n\r\n", "1\r\n{\r\n1;x=y\r\n}\r\n0\r\n\r\n"] {
      #expect(try HTTPAnswer.raw(Array((whole + body).utf8), at: world.port).status == 200)
    }
  }

  @Test("what is refused has one head, plain text and a reason, at once")
  func refusals() async throws {
    let world = try await GatewayWorld.start()
    let line = "POST \(Self.path) HTTP/1.1\r\n"
    let host = line + "Host: localhost\r\n"
    let chunked = host + "Transfer-Encoding: chunked\r\n\r\n"
    for (text, status, reason) in [
      (line + "Content-Length: 2\r\n\r\n{}", 400, "host' is missing"),
      (host + "Content-Length: x\r\n\r\n{}", 400, "content-length is not a number"),
      (host + "Content-Length: 99999999999999999999\r\n\r\n", 413, "more than 8388608 bytes"),
      (host + "Content-Length: 60000000\r\n\r\n", 413, "more than 8388608 bytes"),
      (host + "Content-Length 2\r\n\r\n{}", 400, "not valid"),
      ("POST  \(Self.path) HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "more than two spaces"),
      ("POST \(Self.path)  HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "more than two spaces"),
      ("GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "more than two spaces"),
      ("POST \(Self.path) HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "HTTP/1.0 has"),
      ("GET / HTTP/3.0\r\nHost: localhost\r\n\r\n", 505, "version of HTTP"),
      (chunked + "2;x=\(String(repeating: "y", count: 100_000))", 400, "too long"),
      (chunked + "g\r\n", 400, "before a chunk"),
    ] {
      let connection = try HTTPConnection(world.port)
      connection.send(text)
      let bytes = try await blocking { [connection = Lent(connection)] in connection.value.readAll()
      }
      let answer = HTTPAnswer(bytes)
      let shown = text.prefix(150)
      #expect(answer?.status == status && answer?.text.contains(reason) == true, "\(shown)")
      #expect(answer?.headers["content-type"] == "text/plain; charset=utf-8", "\(shown)")
      let answers = String(decoding: bytes, as: UTF8.self).components(of: "HTTP/1.1 ")
      #expect(answers.count == 1, "\(shown): \(answers)")
    }
    for headers in [
      "Content-Length: 2 \t\r\n\r\n{}", "Transfer-Encoding: chunked \r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    ] {
      let text = host + "Connection: close\r\n" + headers
      #expect(try HTTPAnswer.raw(Array(text.utf8), at: world.port).status == 200, "\(headers)")
    }
  }

  @Test("requests that follow each other at once are answered in their order")
  func pipelining() async throws {
    let world = try await GatewayWorld.start()
    let one = "POST \(Self.path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"
    let last = "GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    let connection = try HTTPConnection(world.port)
    connection.send(String(repeating: one, count: 5) + last)
    let bytes = try await blocking { [connection = Lent(connection)] in connection.value.readAll() }
    let answers = String(decoding: bytes, as: UTF8.self).components(of: "HTTP/1.1 ")
    #expect(answers.map { $0.prefix(3) } == ["200", "200", "200", "200", "200", "404"])
    // A path that names a server is none of ours.
    let absolute =
      "GET http://other\(Self.path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    #expect(try HTTPAnswer.raw(Array(absolute.utf8), at: world.port).status == 404)
  }

  /// Sends bytes of which no request may be answered with success.
  private func expectRefusal(_ text: String, _ world: GatewayWorld) async throws {
    let connection = try HTTPConnection(world.port)
    connection.send(text)
    connection.finish()
    let bytes = try await blocking { [connection = Lent(connection)] in connection.value.readAll() }
    let answers = String(decoding: bytes, as: UTF8.self).components(of: "HTTP/1.1 ")
    let shown = text.replacingOccurrences(of: "\r", with: "\\r").replacingOccurrences(
      of: "\n",
      with: "\\n"
    )
    #expect(answers.allSatisfy { $0.hasPrefix("4") }, "\(shown): \(answers)")
    #expect(!answers.contains { $0.contains("userRecordName") }, "\(shown): \(answers)")
  }

  @Test("clients that go before they are answered leave nothing behind, and the gateway stops")
  func gone() async throws {
    let world = try await GatewayWorld.start()
    for _ in 0..<200 {
      let connection = try HTTPConnection(world.port)
      connection.send(
        "POST \(Self.path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"
      )
    }
    #expect(try world.post("private/zones/list").status == 200)
    world.gateway.send(SIGTERM)
    #expect(try await world.gateway.waitForExit() == .code(0))
  }

  @Test("lines and headers that are too long, and bytes that are no HTTP, end the connection")
  func oversized() async throws {
    let world = try await GatewayWorld.start()
    let texts = [
      "GET /\(String(repeating: "a", count: 100_000)) HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "b", count: 100_000))\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: localhost\r\n"
        + String(repeating: "X: y\r\n", count: 20_000) + "\r\n",
      "\u{0}\u{1}\u{2}\r\n\r\n", "GET\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}\r\n\r\n",
    ]
    for text in texts {
      let connection = try HTTPConnection(world.port)
      connection.send(text + "\r\n\r\n")
      connection.finish()
      let bytes = try await blocking { [connection = Lent(connection)] in connection.value.readAll()
      }
      if let answer = HTTPAnswer(bytes) { #expect((400..<600).contains(answer.status)) }
    }
    #expect(try world.post("private/zones/list").status == 200)
  }

  @Test("a body that is too large is refused before it is kept")
  func bodies() async throws {
    let world = try await GatewayWorld.start()
    let answer = try HTTPAnswer.to(
      "POST",
      Self.path,
      at: world.port,
      body: [UInt8](repeating: 0x20, count: (8 << 20) + 1)
    )
    #expect(answer.status == 413)
    #expect(try world.post("private/zones/list").status == 200)
  }

  @Test("nothing is kept of an upload to a URL that was not made here")
  func uploads() async throws {
    let world = try await GatewayWorld.start()
    let connection = try HTTPConnection(world.port)
    connection.send(
      "POST /assets/AAAA HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost:1\r\nContent-Length: 50000000\r\n\r\n"
    )
    // The answer comes though the body does not, and the page can read it.
    let bytes = try await blocking { [connection = Lent(connection)] in connection.value.readAll() }
    let answer = try #require(HTTPAnswer(bytes))
    #expect(answer.status == 404 && answer.code == "NOT_FOUND")
    #expect(answer.headers["access-control-allow-origin"] == "http://localhost:1")
    #expect(answer.headers["x-apple-request-uuid"] == answer.json?.object?["uuid"]?.string)
  }

  @Test("bodies of all requests together have a bound, and what is refused is free again")
  func memory() async throws {
    let world = try await GatewayWorld.start()
    let head = "POST \(Self.path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(8 << 20)\r\n\r\n"
    let part = [UInt8](repeating: 0x20, count: (8 << 20) - 1)
    var connections: [HTTPConnection] = []
    // Three times as much as all may have.
    for _ in 0..<100 {
      let connection = try HTTPConnection(world.port)
      connection.send(head)
      connection.send(part)
      connections.append(connection)
    }
    let peak = try world.gateway.memoryPeakBytes()
    #expect(peak < 700 << 20, "\(peak)")
    connections = []
    try await waitUntil("the memory of bodies to be free", pausing: .zero) {
      try world.post("private/zones/list").status == 200
    }
  }

  @Test("large bodies that do not end leave room for small ones, and refused ones for large ones")
  func unfinishedBodies() async throws {
    let world = try await GatewayWorld.start()
    // 32 unfinished bodies leave less.
    let large = Array("{}".utf8) + [UInt8](repeating: 0x20, count: 4 << 20)
    let head = "POST \(Self.path) HTTP/1.1\r\nHost: localhost\r\n"
    var connections: [HTTPConnection] = []
    for _ in 0..<36 {
      let connection = try HTTPConnection(world.port)
      connection.send(head + "Content-Length: \(8 << 20)\r\n\r\n")
      connection.send([UInt8](repeating: 0x20, count: (8 << 20) - 1))
      connections.append(connection)
    }
    func isRefused() throws -> Bool {
      try HTTPAnswer.to("POST", Self.path, at: world.port, body: large).status == 503
    }
    try await waitUntil("the unfinished bodies to have the memory", pausing: .zero) {
      try isRefused()
    }
    #expect(try world.post("private/zones/list").status == 200)
    connections = []
    try await waitUntil("the unfinished bodies to be forgotten", pausing: .zero) {
      try !isRefused()
    }
    // Each is refused above 8 MiB, and goes on.
    let part = Array("80000\r\n".utf8) + [UInt8](repeating: 0x20, count: 0x80000) + [13, 10]
    for _ in 0..<36 {
      let connection = try HTTPConnection(world.port)
      connection.send(head + "Transfer-Encoding: chunked\r\n\r\n")
      for _ in 0..<20 { connection.send(part) }
      connections.append(connection)
    }
    try await waitUntil("the bodies to be refused", pausing: .zero) { try !isRefused() }
    #expect(try world.post("private/zones/list").status == 200)
    // So much more of it was not wanted.
    let last = connections[0]
    for _ in 0..<20 { last.send(part) }
    let bytes = try await blocking { [last = Lent(last)] in last.value.readAll() }
    #expect(HTTPAnswer(bytes)?.status != 200)
  }

  @Test("JSON of very many values is refused before it takes the memory")
  func manyValues() async throws {
    let world = try await GatewayWorld.start()
    for part in ["[0],", "1,", "{},"] {
      let count = (8 << 20) / part.utf8.count - 10
      let answer = try HTTPAnswer.to(
        "POST",
        Self.path,
        at: world.port,
        body: Array("{\"a\":[\(String(repeating: part, count: count))0]}".utf8)
      )
      #expect(answer.status == 400 && answer.text.contains("more than 500000 values"))
    }
    let peak = try world.gateway.memoryPeakBytes()
    #expect(peak < 300 << 20, "\(peak)")
  }

  @Test("browsers may ask before a request, and learn what they may send")
  func preflight() async throws {
    let world = try await GatewayWorld.start()
    let answer = try HTTPAnswer.to(
      "OPTIONS",
      Self.path,
      at: world.port,
      headers: [
        "Origin: http://localhost:3000", "Access-Control-Request-Method: POST",
        "Access-Control-Request-Headers: Content-Type, X-Apple-CloudKit-Request-KeyID, X-Other",
      ]
    )
    #expect(answer.status == 204)
    #expect(answer.headers["access-control-allow-origin"] == "http://localhost:3000")
    #expect(
      answer.headers["access-control-allow-headers"]
        == "content-type, x-apple-cloudkit-request-keyid"
    )
  }

  @Test("JSON that is broken, deep or of the wrong shape is refused with a reason")
  func json() async throws {
    let world = try await GatewayWorld.start()
    let bodies = [
      "{", "[]", "5", "\"", "{\"a\":1,\"a\":2}", "{\"query\":{\"recordType\":5}}",
      String(repeating: "[", count: 100_000), "{\"zones\":\"x\"}", "\u{FEFF}{}",
      "{\"query\":{\"recordType\":\"A\",\"filterBy\":{}}}",
      "{\"query\":{\"recordType\":\"A\",\"filterBy\":[5]}}",
      "{\"query\":{\"recordType\":\"A\"},\"resultsLimit\":1e400}",
      "{\"query\":{\"recordType\":\"A\"},\"resultsLimit\":1e-9223372036854775808}",
      "{\"query\":{\"recordType\":\"A\"},\"numbersAsStrings\":1e-9223372036854775808}",
      "{\"query\":{\"recordType\":\"A\"},\"desiredKeys\":[\(Array(repeating: "\"a\"", count: 1_001).joined(separator: ","))]}",
    ]
    for body in bodies {
      let answer = try HTTPAnswer.to(
        "POST",
        GatewayWorld.path("private/records/query"),
        at: world.port,
        body: Array(body.utf8)
      )
      #expect(
        answer.status == 400 && answer.code == "BAD_REQUEST",
        "\(body.prefix(60)): \(answer.text)"
      )
      #expect(answer.json?.object?["reason"]?.string?.isEmpty == false)
    }
  }

  @Test("URLs that were not made here, and paths that are none, are not found")
  func urls() async throws {
    let world = try await GatewayWorld.start()
    for path in [
      "/assets/AAAA", "/assets/\(String(repeating: "A", count: 200))", "/courier/AAAA",
      "/assets/..%2f..%2fetc", "/database/2/app/development/private/records/query",
      "/database/1/app/staging/private/records/query",
      "/database/1/%ff/development/private/zones/list",
      "/database/1/%+5/development/private/zones/list",
      "//", "/tidings.css",
    ] {
      let answer = try HTTPAnswer.to("GET", path, at: world.port)
      #expect(answer.status == 404, "\(path): \(answer.text)")
    }
  }

  @Test("a client that sends its head byte by byte keeps nobody waiting")
  func slow() async throws {
    let world = try await GatewayWorld.start()
    var connections: [HTTPConnection] = []
    for _ in 0..<300 {
      let connection = try HTTPConnection(world.port)
      connection.send("POST \(Self.path) HTTP/1.1\r\nHost: localhost\r\nContent-Len")
      connections.append(connection)
    }
    #expect(try world.post("private/zones/list").status == 200)
    withExtendedLifetime(connections) {}
  }

  @Test("one address has as many connections as it may have, and then room for others is left")
  func perAddress() async throws {
    let world = try await GatewayWorld.start(["--connections-per-address-max", "3"])
    var connections: [HTTPConnection] = []
    for _ in 0..<3 { connections.append(try HTTPConnection(world.port)) }
    for connection in connections {
      connection.send("GET \(Self.path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
      let bytes = try await blocking { [connection = Lent(connection)] in connection.value.read() }
      #expect(HTTPAnswer(bytes)?.status == 200)
    }
    let further = try HTTPConnection(world.port)
    further.send("GET \(Self.path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    let bytes = try await blocking { [further = Lent(further)] in further.value.readAll() }
    #expect(bytes.isEmpty)
  }
}

extension String {
  /// The parts behind each occurrence of a text.
  fileprivate func components(of separator: String) -> [Substring] {
    var parts: [Substring] = []
    var rest = self[...]
    while let range = rest.firstRange(of: separator) {
      rest = rest[range.upperBound...]
      parts.append(rest)
    }
    return parts
  }
}
