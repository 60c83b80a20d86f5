import RPCTestSupport
import Testing
import TidingsInterop
import TidingsRPC
import TidingsZeroMQ

@Suite("interop over sockets") struct InteropTests {
  @Test("tcp", arguments: InteropCases.Name.allCases)
  func tcp(name: InteropCases.Name) async throws {
    try await run(name, endpoint: "tcp://127.0.0.1:0")
  }

  @Test("ipc", arguments: InteropCases.Name.allCases)
  func ipc(name: InteropCases.Name) async throws {
    try await run(name, endpoint: "ipc://*")
  }

  private func run(_ name: InteropCases.Name, endpoint: String) async throws {
    let probe = Probe()
    var configuration = ServerConfiguration(endpoint: endpoint)
    configuration.frameBytesMax = 1 << 20
    let server = try await RPCServer.start(configuration) { loop in
      loop.register(InteropService(probe: probe))
    }
    let client = try await ClientConnection(ConnectionConfiguration(endpoint: server.endpoint))
    let cases = InteropCases(client, probe: probe, frameBytesMax: 1 << 20)
    let problem = await cases.run(name)
    #expect(problem == nil)
    await client.close()
    await server.stop(grace: .zero)
  }
}
