internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto

/// Shares with large fields of their own: whoever is invited can list them, look at them, and get their data.
@Suite(.endsServers) struct LargeShareTests {
  private typealias World = SharingWorld

  /// More than a frame together.
  private static let names = (0..<24).map { "s\($0)" }

  @Test("shares with many bytes of fields are listed in pages, and their answers have room")
  func pages() async throws {
    let world = try await World()
    let thumbnail = TidingsV1.FieldValue(.bytesValue([UInt8](repeating: 7, count: 800_000)))
    for name in Self.names {
      var share = World.share(name, of: "root-\(name)", with: [("ben", .readOnly)])
      share.fields["thumbnail"] = thumbnail
      let results = try await world.ada.modify([World.record("root-\(name)"), share])
      try #require(results.allSatisfy { $0.record != nil }, "\(results.compactMap(\.error))")
    }
    var urls: [String] = []
    for client in [world.ada, world.ben] {
      let service = TidingsV1.ShareService.Client(client.transport)
      var (seen, continuation): ([String], [UInt8]) = ([], [])
      repeat {
        let page = try await service.fetchShares(.init(continuation: continuation))
        #expect(page.shares.allSatisfy { $0.share?.fields["thumbnail"] == thumbnail })
        seen += page.shares.compactMap { $0.share?.recordID?.recordName }
        urls += page.shares.compactMap(\.share?.share?.url)
        continuation = page.continuation
      } while !continuation.isEmpty
      #expect(seen.sorted() == Self.names.sorted())
    }
    // What has no room is not accepted, and can be repeated.
    let service = TidingsV1.ShareService.Client(world.ben.transport)
    var left = Array(Set(urls))
    #expect(left.count == Self.names.count)
    while !left.isEmpty {
      let looked = try await service.fetchShareMetadata(.init(urls: left)).results
      let accepted = try await service.acceptShares(.init(urls: left)).results
      #expect(looked.count == left.count && accepted.count == left.count)
      let refused = accepted.filter { if case .error = $0.outcome { true } else { false } }
      for result in refused {
        guard case .error(let error)? = result.outcome else { continue }
        #expect(error.code == .limitExceeded)
      }
      try #require(refused.count < left.count)
      left = refused.map(\.url)
    }
  }
}
