internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsJSON

/// Codes that depend on more than a request; the others are in the files of the contract.
@Suite(.endsServers) struct ErrorCodeTests {
  private func save(_ name: String, type: String = "create", text: String = "") -> JSONValue {
    let record: JSONValue = [
      "recordName": .string(name), "recordType": "Notes",
      "fields": ["text": ["value": .string(text), "type": "STRING"]],
    ]
    let operation: JSONValue = ["operationType": .string(type), "record": record]
    return ["operations": .array([operation])]
  }

  private func code(_ answer: HTTPAnswer) -> String? {
    answer.code ?? answer.records.first?["serverErrorCode"]?.string
  }

  @Test("ACCESS_DENIED: a record of somebody else, and a page of another origin")
  func denied() async throws {
    let world = try await GatewayWorld.start()
    #expect(try world.post("public/records/modify", save("a")).records.first?["created"] != nil)
    let other = try world.post("public/records/modify", save("a", type: "forceUpdate"), as: "bob")
    #expect(other.status == 200 && code(other) == "ACCESS_DENIED", "\(other.text)")
    let secure = try await CredentialWorld.make()
    let page = try secure.post(
      "public/records/query",
      headers: ["Origin: https://example.com"],
      body: #"{"query": {"recordType": "Notes"}}"#
    )
    #expect(page.status == 403 && page.code == "ACCESS_DENIED", "\(page.text)")
  }

  @Test("QUOTA_EXCEEDED: a record for which its user has no room")
  func quota() async throws {
    let server = try await TestServer.startLasting(
      arguments: ["--limit", "bytes-per-user-max=20000"]
    )
    let world = try await GatewayWorld.start(before: server)
    let text = String(repeating: "x", count: 30_000)
    let refused = try world.post("private/records/modify", save("a", text: text))
    #expect(refused.status == 200 && code(refused) == "QUOTA_EXCEEDED", "\(refused.text)")
    #expect(refused.records.first?["retryAfter"] == nil)
  }

  @Test("THROTTLED: a user who calls too often, with the time to wait")
  func throttled() async throws {
    let clock = try ClockFault()
    let server = try await TestServer.startLasting(
      arguments: ["--limit", "calls-per-second-per-user-max=1"],
      environment: clock.environment
    )
    let world = try await GatewayWorld.start(before: server)
    // For the server the second does not pass in which a user has one call.
    try clock.holdUptime()
    let answers = try await withThrowingTaskGroup(of: HTTPAnswer.self) { group in
      for _ in 0..<4 {
        group.addTask { try await blocking { try world.post("private/zones/list") } }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    // The gateway itself waits for a while; what it waits for too long is late.
    #expect(answers.allSatisfy { [200, 429, 503].contains($0.status) })
    let refused = answers.filter { $0.status == 429 }
    #expect(!refused.isEmpty)
    for answer in refused {
      #expect(answer.code == "THROTTLED", "\(answer.text)")
      let seconds = answer.json?.object?["retryAfter"]?.number?.exactly(Int.self) ?? 0
      #expect(seconds >= 1 && answer.headers["retry-after"] == "\(seconds)")
    }
  }

  @Test("TRY_AGAIN_LATER: the server is away, and comes back")
  func unavailable() async throws {
    let world = try await GatewayWorld.start()
    #expect(try world.post("private/zones/list").status == 200)
    try await world.server.crash()
    let away = try await blocking { try world.post("private/zones/list") }
    #expect(away.status == 503 && away.code == "TRY_AGAIN_LATER", "\(away.text)")
    #expect(away.headers["retry-after"] != nil && away.json?.object?["retryAfter"] != nil)
    _ = try await world.server.restarted()
    try await waitUntil("an answer of the server that is back") {
      try await blocking { try world.post("private/zones/list") }.status == 200
    }
  }

  @Test("INTERNAL_ERROR: what is stored is not there any more", .embeddedOnly)
  func damaged() async throws {
    let world = try await GatewayWorld.start()
    let token: JSONValue = ["recordType": "Notes", "fieldName": "file"]
    let asked = try world.post("private/assets/upload", ["tokens": .array([token])])
    func path(_ url: String?) throws -> String {
      let url = try #require(url)
      return String(url[try #require(url.range(of: "/assets/")).lowerBound...])
    }
    let upload = try path(asked.json?.object?["tokens"]?.array?.first?.object?["url"]?.string)
    let sent = try HTTPAnswer.to("POST", upload, at: world.port, body: Array("content".utf8))
    let file = try #require(sent.json?.object?["singleFile"], "\(sent.text)")
    let record: JSONValue = [
      "recordName": "a", "recordType": "Notes", "fields": ["file": ["value": file]],
    ]
    let operation: JSONValue = ["operationType": "create", "record": record]
    let saved = try world.post("private/records/modify", ["operations": .array([operation])])
    let value = saved.records.first?["fields"]?.object?["file"]?.object?["value"]?.object
    let download = try path(value?["downloadURL"]?.string)
    #expect(try HTTPAnswer.to("GET", download, at: world.port).text == "content")
    let assets = world.server.folder.file("data/assets")
    for name in try FileManager.default.subpathsOfDirectory(atPath: assets) {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: assets + "/" + name, isDirectory: &isFolder)
      if !isFolder.boolValue { try FileManager.default.removeItem(atPath: assets + "/" + name) }
    }
    let answer = try HTTPAnswer.to("GET", download, at: world.port)
    #expect(answer.status == 500 && answer.code == "INTERNAL_ERROR", "\(answer.text)")
  }
}
