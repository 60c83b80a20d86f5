#if PostgreSQL
internal import PostgresTestSupport
internal import RPCTestSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto

/// A gateway before several nodes goes on at another one when its own has ended.
@Suite(
  .endsServers,
  .enabled(if: PostgresCluster.isAvailable, "no PostgreSQL server can be started here")
) struct NodeMoveTests {
  private func save(_ name: String, _ client: Client) async throws {
    let results = try await client.modify([.init("Houses", name)], in: .init(container: "app"))
    try #require(results.first?.error == nil, "\(results)")
  }

  @Test("a stream and requests go on when the node that its gateway uses is killed")
  func stream() async throws {
    let environment = ["RPCD_DATABASE": try PostgresCluster.shared().makeDatabaseURI()]
    var nodes: [TestServer] = []
    for name in ["first", "second"] {
      nodes.append(
        try await TestServer.startLasting(
          arguments: ["--node-name", name],
          environment: environment
        )
      )
    }
    let port = ReservedPort()
    let endpoints = nodes.map(\.rpcEndpoint).joined(separator: ",")
    let gateway = try ServerProcess(
      "rpcgw",
      arguments: ["--rpc", endpoints, "--listen", "127.0.0.1:\(port.number)"]
    )
    _ = try await gateway.waitForReadyLine()
    let client = try await nodes[1].client(as: "ada")
    let saved = try await client.subscriptions.modifySubscriptions(
      .init(databaseID: .init(container: "app"), subscriptionsToSave: [.init("s", "Houses")])
    )
    try #require(saved.results.first?.subscription != nil)
    let reader = try EventReader(port.number)
    try await save("before", client)
    try await reader.seen.wait("the first") { $0.names == ["before"] }
    try await nodes[0].crash()
    // The other one leads as soon as it notices.
    try await waitUntil("the other node to lead", pausing: .milliseconds(20)) {
      (try? await save("after", client)) != nil
    }
    let seen = try await reader.seen.wait("the second") {
      $0.names == ["before", "after"] || $0.isEnded || $0.hasFailed
    }
    #expect(seen.names == ["before", "after"], "\(seen.events)")
    let found = try HTTPAnswer.to(
      "POST",
      GatewayWorld.path("private/records/lookup"),
      at: port.number,
      body: Array(#"{"records":[{"recordName":"after"}]}"#.utf8)
    )
    #expect(
      found.status == 200 && found.text.contains("\"recordType\":\"Houses\""),
      "\(found.text)"
    )
  }
}
#endif
