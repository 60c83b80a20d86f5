internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto

/// Every form of comparison works as a subscription, from the contract to the notification.
@Suite(.endsServers) struct PredicateLanguageTests {
  private static let matching = [
    "name ENDSWITH 'Smith'", "name LIKE 'B*S?ith'", "name =[c] 'BOB SMITH'",
    "name CONTAINS 'smith'",
    "name CONTAINS ALL 'smith bob'", "self CONTAINS 'kyiv'", "ANY marks > 5", "ALL marks >= 1",
    "NONE marks > 9", "ANY tags BEGINSWITH 're'", "tags CONTAINS 'red'", "ANY tags != 'red'",
    "distanceToLocation:fromLocation:(place, @location(48.5, 11)) < 100",
    "creationDate > @2020-01-01T00:00:00Z", "modificationDate < @9000-01-01T00:00:00Z",
    "creatorUserRecordID = 'realty'", "___modifiedBy = @reference('realty')", "recordID = 'h1'",
    "recordID = @reference('h1')", "recordChangeTag != ''", "creationDate >= now OR name != 'x'",
  ]
  private static let other = [
    "name CONTAINS 'smit'", "name ENDSWITH 'bob'", "ALL marks > 5", "self CONTAINS ALL 'bob lviv'",
    "distanceToLocation:fromLocation:(place, @location(49, 11)) < 100", "recordID = 'h2'",
    "creatorUserRecordID = 'ada'", "creationDate < @2020-01-01T00:00:00Z",
    "parent = @reference('h1')",
  ]

  private let house = TidingsV1.Record(
    "Houses",
    "h1",
    [
      "name": "Bob Smith", "city": "Kyiv", "marks": .init(.int64ListValue(.init(values: [1, 7]))),
      "tags": .init(.stringListValue(.init(values: ["red", "blue"]))),
      "place": .init(.locationValue(.init(latitude: 48.5, longitude: 11.0001))),
    ]
  )

  @Test("subscriptions of every form fire for what matches, after a restart too")
  func everyForm() async throws {
    var server = try await TestServer.startLasting()
    var device = try await server.client(as: "realty", device: "server")
    let predicates = Self.matching + Self.other
    for (index, text) in predicates.enumerated() {
      try await device.subscribe(.init("s\(index)", "Houses", where: text))
    }
    let expected = Set(Self.matching.indices.map { "s\($0)" })
    try await device.save(house)
    #expect(try await fired(server) == expected)

    #expect(try await server.stop() == .code(0))
    server = try await server.restarted()
    device = try await server.client(as: "realty", device: "server")
    let token = try await server.client(as: "realty", device: "laptop").feed().token
    var saved = try #require(try await device.fetch([.init("h1")]).first?.record)
    // A save that changes nothing fires nothing.
    saved.fields["restarts"] = 1
    try await device.save(saved)
    #expect(try await fired(server, after: token) == expected)
  }

  @Test("a record may not have a field with the name of a system field")
  func reservedNames() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "realty")
    let response = try await client.modify([.init("Houses", "h1", ["parent": 1])])
    let error = try #require(response.first?.error)
    #expect(error.code == .invalidArguments)
    #expect(error.message.contains("'parent' is kept for the server's own field"))
  }

  private func fired(_ server: TestServer, after token: [UInt8] = []) async throws -> Set<String> {
    let laptop = try await server.client(as: "realty", device: "laptop")
    return Set(try await laptop.feed(after: token).notifications.map(\.subscriptionID))
  }
}
