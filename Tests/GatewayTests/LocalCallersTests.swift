internal import TestSupport
internal import Testing
internal import TidingsJSON

/// In development mode names are trusted, and browsers call for every page that they show.
@Suite(.endsServers) struct LocalCallersTests {
  private static let save = Array(
    #"{"operations": [{"operationType": "create", "record": {"recordName": "a", "recordType": "Notes"}}]}"#
      .utf8
  )

  @Test("pages of the internet cannot call, pages and programs of this machine can")
  func callers() async throws {
    let world = try await GatewayWorld.start(["--public-url", "https://houses.example.org"])
    let path = GatewayWorld.path("private/records/modify")
    func answer(_ method: String, _ headers: String..., host: String? = nil) throws -> HTTPAnswer {
      let host = host ?? "127.0.0.1:\(world.port)"
      let body = method == "POST" ? Self.save : []
      let head =
        (["\(method) \(path) HTTP/1.1", "Host: \(host)", "Connection: close"] + headers
        + ["Content-Length: \(body.count)"]).joined(separator: "\r\n")
      return try HTTPAnswer.raw(Array((head + "\r\n\r\n").utf8) + body, at: world.port)
    }
    for headers in [
      "Origin: https://evil.example", "Origin: null", "Origin: http://127.0.0.1.evil.example",
      "Origin: http://localhost.evil.example:3000", "Origin: http://evil.example#localhost",
      "Sec-Fetch-Site: cross-site",
    ] {
      let refused = try answer("POST", "Content-Type: text/plain", headers)
      #expect(refused.status == 403 && refused.code == "ACCESS_DENIED", "\(headers)")
      #expect(refused.headers["access-control-allow-origin"] == nil, "\(headers)")
      #expect(try answer("OPTIONS", headers).status == 403, "\(headers)")
    }
    // A name of the internet that leads here.
    for host in ["evil.example", "evil.example:\(world.port)", "127.0.0.1.evil.example"] {
      #expect(try answer("POST", host: host).status == 403, "\(host)")
    }
    let read = try world.post("private/records/lookup", ["records": .array([["recordName": "a"]])])
    #expect(read.records.first?["serverErrorCode"]?.string == "NOT_FOUND", "\(read.text)")
    for origin in [
      "http://localhost:3000", "http://127.0.0.1:8080", "http://[::1]:8080",
      "http://app.localhost:3000", "https://houses.example.org",
    ] {
      let allowed = try answer("OPTIONS", "Origin: \(origin)", "Sec-Fetch-Site: cross-site")
      #expect(allowed.status == 204, "\(origin)")
      #expect(allowed.headers["access-control-allow-origin"] == origin)
    }
    #expect(try answer("POST", host: "houses.example.org").status == 200)
    #expect(try answer("POST", host: "localhost:\(world.port)").status == 200)
  }
}
