internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsJSON

/// A browser never gets wrong bytes of an asset that look complete, which it would keep.
@Suite(.endsServers, .embeddedOnly) struct DamagedAssetTests {
  private func path(_ url: String?) throws -> String {
    let url = try #require(url)
    return String(url[try #require(url.range(of: "/assets/")).lowerBound...])
  }

  /// Uploads a content, saves a record with it, and returns where it can be downloaded.
  private func downloadPath(_ world: GatewayWorld, _ content: [UInt8]) throws -> String {
    let token: JSONValue = ["recordType": "Notes", "fieldName": "file"]
    let asked = try world.post("private/assets/upload", ["tokens": .array([token])])
    let url = asked.json?.object?["tokens"]?.array?.first?.object?["url"]?.string
    let sent = try HTTPAnswer.to("POST", try path(url), at: world.port, body: content)
    let file = try #require(sent.json?.object?["singleFile"], "\(sent.text)")
    let record: JSONValue = [
      "recordName": "a", "recordType": "Notes", "fields": ["file": ["value": file]],
    ]
    let operation: JSONValue = ["operationType": "create", "record": record]
    let saved = try world.post("private/records/modify", ["operations": .array([operation])])
    let value = saved.records.first?["fields"]?.object?["file"]?.object?["value"]?.object
    return try path(value?["downloadURL"]?.string)
  }

  /// Changes one byte of the file of the only asset.
  private func damage(at offset: Int, _ server: TestServer) throws {
    let files = try server.folder.contents("data/assets")
    let (name, bytes) = try #require(files.first)
    try server.folder.overwrite([bytes[offset] ^ 1], at: offset, in: "data/assets/" + name)
  }

  @Test("a damaged asset of one message is refused")
  func small() async throws {
    let world = try await GatewayWorld.start()
    let path = try downloadPath(world, Array("content".utf8))
    #expect(try HTTPAnswer.to("GET", path, at: world.port).text == "content")
    try damage(at: 3, world.server)
    let answer = try HTTPAnswer.to("GET", path, at: world.port)
    #expect(answer.status == 500 && answer.code == "INTERNAL_ERROR", "\(answer.text)")
    #expect(answer.headers["cache-control"]?.contains("immutable") != true)
    _ = try await world.gateway.seen.wait("the reason") { $0.errors.contains("broke off") }
  }

  @Test("the answer with a damaged asset is shorter than it said", arguments: [0, 699_999])
  func large(offset: Int) async throws {
    let world = try await GatewayWorld.start()
    let content = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ ($0 >> 8)) }
    let path = try downloadPath(world, content)
    #expect(try HTTPAnswer.to("GET", path, at: world.port).body == content)
    try damage(at: offset, world.server)
    let answer = try HTTPAnswer.to("GET", path, at: world.port)
    #expect(answer.headers["content-length"] == "\(content.count)")
    #expect(answer.body.count < content.count)
    let seen = try await world.gateway.seen.wait("the reason") { $0.errors.contains("broke off") }
    #expect(seen.errors.contains("damaged"), "\(seen.errors)")
    // Undamaged it is sent again.
    try damage(at: offset, world.server)
    #expect(try HTTPAnswer.to("GET", path, at: world.port).body == content)
  }
}
