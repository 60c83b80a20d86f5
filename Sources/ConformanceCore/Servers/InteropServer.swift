internal import TidingsInterop
internal import TidingsRPC
internal import TidingsZeroMQ

/// A server of gRPC's interoperability cases, in this process.
final class InteropServer {
  /// Largest frame that it takes and sends, in bytes.
  static let frameBytesMax = 1 << 20

  let endpoint: String
  let probe: Probe
  private let server: RPCServer

  init() async throws {
    let probe = Probe()
    var configuration = ServerConfiguration(endpoint: "tcp://127.0.0.1:0")
    configuration.frameBytesMax = Self.frameBytesMax
    server = try await RPCServer.start(configuration) { loop in
      loop.register(InteropService(probe: probe))
    }
    self.probe = probe
    endpoint = server.endpoint
  }

  func stop() async { await server.stop(grace: .zero) }
}
