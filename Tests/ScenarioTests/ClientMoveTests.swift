import TestSupport
import Testing
import TidingsClient
import TidingsProto
import TidingsRPC

/// A client with several endpoints says when it goes on at another one.
@Suite(.endsServers) struct ClientMoveTests {
  @Test("whoever observes a client's moves is notified of each")
  func observed() async throws {
    let (first, second) = (try await TestServer.start(), try await TestServer.start())
    var configuration = ClientConfiguration(
      endpoints: [first.rpcEndpoint, second.rpcEndpoint]
    )
    configuration.user = "ada"
    let client = try await Client(configuration)
    let moves = Observed(0)
    client.whenMoved { moves.update { $0 += 1 } }
    #expect(try await client.health.check(.init()).status == .serving)
    #expect(moves.value == 0)
    try await first.crash()
    let calls = Task {
      while !Task.isCancelled { _ = try? await client.health.check(.init()) }
    }
    defer { calls.cancel() }
    try await moves.wait("a move") { $0 == 1 }
    calls.cancel()
    #expect(try await client.health.check(.init()).status == .serving)
    await client.close()
  }
}
