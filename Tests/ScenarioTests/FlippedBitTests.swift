internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto

/// A bit that flips in the database does not pass for the truth.
@Suite(.endsServers, .embeddedOnly) struct FlippedBitTests {
  private static let file = "data/tidings.sqlite"

  private func record(_ index: Int) -> TidingsV1.Record {
    .init(
      "Houses",
      "h\(index)",
      ["n": .init(integerLiteral: Int64(index)), "city": .init(stringLiteral: "City \(index)")]
    )
  }

  private func answers(_ server: TestServer) async throws -> [String] {
    let client = try await server.client(as: "ada")
    let names = (0..<300).map { TidingsV1.RecordID("h\($0)") }
    let page = try await client.records.queryRecords(
      .init(
        recordType: "Houses",
        predicate: .init(text: "n >= 0"),
        sortDescriptors: [.init(fieldName: "n")],
        limit: 400
      )
    )
    let log = try await client.notifications.fetchNotificationChanges(.init())
    return try await client.fetch(names).map { text($0.record?.fields) }
      + page.records.map { text($0.fields) }
      + log.notifications.map { "\($0.recordID?.recordName ?? "") \(text($0.recordFields))" }
  }

  private func text(_ fields: [String: TidingsV1.FieldValue]?) -> String {
    (fields ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(
      separator: " "
    )
  }

  @Test("every flipped bit is found at the start or answered as damage")
  func flippedBits() async throws {
    let seed = Seed.make("flippedBits")
    var random = SplitMix64(seed: seed)
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    try await client.subscribe(.init("all", "Houses", keys: ["n", "city"]))
    _ = try await client.modify((0..<300).map(record))
    let expected = try await answers(server)
    try await server.stop()
    let sound = try server.folder.read(Self.file)
    var refusedCount = 0
    for _ in 0..<20 {
      var bytes = sound
      let position = random.below(bytes.count)
      bytes[position] ^= 1 << UInt8(random.below(8))
      try server.folder.write(bytes, to: Self.file)
      do {
        let next = try await TestServer.start(in: server.folder)
        let isSame = try await answers(next) == expected
        #expect(isSame, "seed \(seed): byte \(position) passed for the truth")
        try await next.crash()
      } catch let failure as WaitingFailure {
        #expect(failure.description.contains("damaged"), "seed \(seed): \(failure)")
        refusedCount += 1
      }
    }
    #expect(refusedCount == 20, "seed \(seed)")
    try server.folder.write(sound, to: Self.file)
    let next = try await TestServer.start(in: server.folder)
    #expect(try await answers(next) == expected)
  }
}
