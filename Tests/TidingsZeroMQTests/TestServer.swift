import RPCTestSupport
import Synchronization
import TidingsInterop
import TidingsRPC
import TidingsZeroMQ

/// A server with an `InteropService`, whose `Empty` is answered on the loop thread.
struct TestServer {
  let probe: Probe
  let server: RPCServer

  var endpoint: String { server.endpoint }

  private static let reservedPorts = Mutex<[ReservedPort]>([])

  /// An endpoint that nobody takes between two uses, as long as these tests run.
  static func lastingEndpoint() -> String {
    let port = ReservedPort()
    reservedPorts.withLock { $0.append(port) }
    return port.endpoint
  }

  /// Starts a server, if need be where one has just stopped: a process that another test starts has a copy of the
  /// listening socket until it runs its program.
  static func start(
    probe: Probe = Probe(),
    endpoint: String = "tcp://127.0.0.1:0",
    hangs: Bool = true,
    configure: (inout ServerConfiguration) -> Void = { _ in },
    setup: @escaping @Sendable (LoopContext) -> Void = { _ in }
  ) async throws -> TestServer {
    var configuration = ServerConfiguration(endpoint: endpoint)
    configuration.frameBytesMax = 1 << 20
    configure(&configuration)
    let server = try await startWhereFree(configuration) { loop in
      loop.register(InteropService(probe: probe, hangs: hangs))
      loop.registerInline(InteropService.empty) { call, loop in
        probe.note { $0.executed += 1 }
        loop.reply(call.token, body: call.body)
      }
      loop.whenStopping { probe.note { $0.stopping += 1 } }
      setup(loop)
    }
    return TestServer(probe: probe, server: server)
  }

  private static func startWhereFree(
    _ configuration: ServerConfiguration,
    setup: @escaping @Sendable (LoopContext) -> Void
  ) async throws -> RPCServer {
    let deadline = ContinuousClock.now + .seconds(60)
    while true {
      do {
        return try await RPCServer.start(configuration, setup: setup)
      } catch let error as TransportError
        where error.isAddressInUse && ContinuousClock.now < deadline
      {
        // A pause, in which whoever has the address may end.
        try await Task.sleep(for: .milliseconds(10))
      }
    }
  }

  func client(
    configure: (inout ConnectionConfiguration) -> Void = { _ in }
  ) async throws -> ClientConnection {
    var configuration = ConnectionConfiguration(endpoint: endpoint)
    configure(&configuration)
    return try await ClientConnection(configuration)
  }

  /// What the loop did so far.
  func counters() async -> LoopCounters {
    await withCheckedContinuation { continuation in
      precondition(server.submit { continuation.resume(returning: $0.counters) })
    }
  }

  func stop() async { await server.stop(grace: .zero) }
}
