import Synchronization
import TestSupport
import Testing
import TidingsClient
import TidingsKeys
import TidingsProto
import TidingsRPC

/// Connections that are opened and say nothing do not keep others out.
@Suite(.serialized, .endsServers) struct ConnectionFloodTests {
  /// Keeps a number of connections open that never speak, however often they are ended.
  private final class Flood: Sendable {
    private let connections: Mutex<[TCPConnection]>
    private let endpoint: String

    init(_ count: Int, to endpoint: String) throws {
      self.endpoint = endpoint
      var made: [TCPConnection] = []
      for _ in 0..<count { made.append(try TCPConnection(endpoint, waits: false)) }
      connections = Mutex(made)
    }

    /// Opens those again that the server has ended.
    ///
    /// - Returns: How many.
    @discardableResult
    func renew() throws -> Int {
      try connections.withLock { connections in
        var count = 0
        for index in connections.indices where connections[index].hasEnded {
          connections[index] = try TCPConnection(endpoint, waits: false)
          count += 1
        }
        return count
      }
    }

    func stop() { connections.withLock { $0 = [] } }
  }

  @Test("while 10,000 handshakes are half-open, who is admitted connects and calls")
  func halfOpen() async throws {
    let server = try await SecureServer.start()
    // This process runs other tests too; the limit of the machine may be lower than 10,000.
    let count = min(10_000, Descriptors.countMax / 2 - 500)
    try #require(count >= 200, "the limit of \(Descriptors.countMax) descriptors is too low")
    let flood = try Flood(count, to: server.server.rpcEndpoint)
    var ended = 0
    while ended < count / 10 { ended += try flood.renew() }
    for _ in 0..<5 {
      let began = ContinuousClock.now
      let client = try await server.client(connectTimeout: .seconds(600))
      #expect(try await client.health.check(.init()).status == .serving)
      let taken = ContinuousClock.now - began
      print("\(count) half-open handshakes: connected and answered after \(taken)")
      await client.close()
      try flood.renew()
    }
    #expect(try server.server.process.memoryPeakBytes() < 600 << 20)
    flood.stop()
  }

  @Test("a server without file descriptors pauses accepting, and resumes later")
  func noDescriptors() async throws {
    let server = try await SecureServer.start(descriptorsMax: 700)
    let served = try await server.client()
    _ = try await served.health.check(.init())
    let flood = try Flood(900, to: server.server.rpcEndpoint)
    // The server logs a warning; open connections are served.
    while !server.server.process.seen.value.errors.contains("new connections are not accepted") {
      try flood.renew()
      #expect(try await served.health.check(.init()).status == .serving)
    }
    flood.stop()
    let client = try await server.client(connectTimeout: .seconds(600))
    #expect(try await client.health.check(.init()).status == .serving)
  }
}
