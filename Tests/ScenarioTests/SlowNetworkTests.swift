internal import RPCTestSupport
internal import Synchronization
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Networks that carry few bytes a second: pages shrink until they come in time.
@Suite(.endsServers) struct SlowNetworkTests {
  private static let count = 200

  /// Records of 2 MB in all, and a client that gives up a call after a second, in which a quarter of that comes.
  private func makeReader(of server: TestServer) async throws -> (Client, CallProxy) {
    let writer = try await server.client(as: "ada")
    let text = String(repeating: "x", count: 10_000)
    let saved = try await writer.modify(
      (0..<Self.count).map { .init("Houses", "r\($0)", ["text": .init(.stringValue(text))]) }
    )
    try #require(saved.allSatisfy { $0.record != nil })
    let proxy = try CallProxy(to: server.rpcEndpoint)
    proxy.carry(bytesPerSecond: 500_000)
    var configuration = ClientConfiguration(endpoint: proxy.endpoint)
    configuration.user = "ada"
    configuration.timeout = .seconds(1)
    return (try await Client(configuration), proxy)
  }

  @Test("a followed feed says that pages do not come in time, and goes on with smaller ones")
  func followed() async throws {
    let server = try await TestServer.start()
    let (reader, proxy) = try await makeReader(of: server)
    let reports = Mutex<[NotificationStream.Connection]>([])
    var names: [String] = []
    let feed = reader.recordZoneChanges(in: "", follow: true) { report in
      reports.withLock { $0.append(report) }
    }
    for try await page in feed {
      names += page.changedRecords.map { $0.recordID?.recordName ?? "" }
      if names.count >= Self.count { break }
    }
    #expect(names == (0..<Self.count).map { "r\($0)" })
    let said = reports.withLock { $0 }
    #expect(said.first.map { if case .slow = $0 { true } else { false } } == true, "\(said)")
    #expect(said.last == .restored)
    withExtendedLifetime(proxy) {}
  }
}
