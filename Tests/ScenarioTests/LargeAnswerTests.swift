internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// What is large in sum is reported in parts that fit into a frame.
@Suite(.endsServers) struct LargeAnswerTests {
  private static let count = 20

  /// A record near the limit; twenty of them are more than a frame.
  private func large(_ index: Int) -> TidingsV1.Record {
    .init(
      "Houses",
      "h\(index)",
      ["blob": .init(.bytesValue([UInt8](repeating: 1, count: 900_000)))]
    )
  }

  @Test("a feed of large notifications comes in pages that fit, and the stream gets them all")
  func feed() async throws {
    let server = try await TestServer.start()
    let laptop = try await server.client(as: "ada", device: "laptop")
    let device = try await server.client(as: "ada", device: "server")
    try await laptop.subscribe(.init("all", "Houses", keys: ["blob"]))
    for index in 0..<Self.count { try await device.save(large(index)) }
    let names = (0..<Self.count).map { "h\($0)" }
    #expect(try await laptop.feed().notifications.compactMap(\.recordID?.recordName) == names)
    let stream = Collector(laptop)
    let seen = try await stream.wait(for: Self.count)
    #expect(seen.compactMap(\.recordID?.recordName) == names)
  }

  @Test("a save with many large conflicts is answered, whatever of the server's records fits")
  func conflicts() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    for index in 0..<Self.count { try await client.save(large(index)) }
    let sent = (0..<Self.count).map { TidingsV1.Record("Houses", "h\($0)") }
    let results = try await client.modify(
      sent + [.init("Houses", "new")],
      policy: .ifServerRecordUnchanged,
      atomic: false
    )
    #expect(results.dropLast().allSatisfy { $0.error?.code == .serverRecordChanged })
    #expect(results[0].serverRecord?.fields.count == 1)
    let left = results.dropLast().filter { $0.serverRecord == nil }
    #expect(!left.isEmpty && left.allSatisfy { $0.error?.message.contains("fetch") == true })
    #expect(results[Self.count].record != nil)
  }

  @Test("a fetch of more than fits into a frame returns what fits, and says what to fetch again")
  func fetch() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    for index in 0..<Self.count { try await client.save(large(index)) }
    let ids = (0..<Self.count).map { TidingsV1.RecordID("h\($0)") }
    let results = try await client.fetch(ids)
    let left = results.drop { $0.record != nil }
    #expect(results.count == ids.count && !left.isEmpty && left.count < ids.count)
    #expect(left.allSatisfy { $0.error?.code == .limitExceeded })
    #expect(try await client.fetch(Array(ids.prefix(7))).allSatisfy { $0.record != nil })
  }
}
