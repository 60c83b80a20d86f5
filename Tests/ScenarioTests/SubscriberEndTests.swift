import TestSupport
import Testing
import TidingsClient
import TidingsMemory
import TidingsProto

/// What it costs others when the connections of subscribers end.
@Suite(.serialized, .endsServers) struct SubscriberEndTests {
  /// Topics that have nothing in common, which takes libzmq longest.
  private static func topic(_ number: Int) -> [UInt8] {
    var random = UInt64(number) &* 0x9e37_79b9_7f4a_7c15
    return (0..<2).flatMap { _ in
      random = (random ^ random >> 29) &* 0xbf58_476d_1ce4_e5b9
      return withUnsafeBytes(of: random) { Array($0) }
    }
  }

  @Test("calls do not wait while libzmq looks through the topics of all because a subscriber ended")
  func turns() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let administration = TidingsV1.AdminService.Client(client.transport)
    func hasSubscriber(ofTopics count: Int) async throws -> Bool {
      try await administration.listConnections(.init()).connections.contains {
        $0.isSubscriber && $0.topics == count
      }
    }
    let holder = try await ZMTPPeer.connect(server.pushEndpoint, .subscriber)
    let count = MemoryShares()[.topics] / MemoryShares.topicCost(16) * 9 / 10
    try await holder.send(messages: (0..<count).map { [[1] + Self.topic($0)] })
    try await waitUntil("all topics to be counted") { try await hasSubscriber(ofTopics: count) }
    let before = try #require(try await client.server.fetchServerInfo(.init()).counters)
    for _ in 0..<5 {
      let ending = try await ZMTPPeer.connect(server.pushEndpoint, .subscriber)
      try await ending.subscribe([1, 2, 3])
      try await waitUntil("the subscriber to be there") { try await hasSubscriber(ofTopics: 1) }
      ending.disconnect()
      try await waitUntil("the subscriber to be gone") { try await !hasSubscriber(ofTopics: 1) }
    }
    let after = try #require(try await client.server.fetchServerInfo(.init()).counters)
    let longest = after.longestTurnProcessorMicroseconds
    #expect(after.longTurns == before.longTurns, "the longest turn took \(longest) µs")
    withExtendedLifetime(holder) {}
  }
}
