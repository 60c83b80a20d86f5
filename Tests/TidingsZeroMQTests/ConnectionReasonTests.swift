import Glibc
import RPCTestSupport
import Testing
import TidingsInterop
import TidingsRPC

import func TestSupport.waitUntil

@testable import TidingsZeroMQ

/// Why there is no connection: each cause has its own sentence.
@Suite struct ConnectionReasonTests {
  /// Waits until a client's calls fail with a sentence.
  private func expect(
    _ sentence: String,
    at endpoint: String,
    configure: (inout ConnectionConfiguration) -> Void = { _ in }
  ) async throws {
    var configuration = ConnectionConfiguration(endpoint: endpoint)
    configuration.connectTimeout = .milliseconds(100)
    configure(&configuration)
    let client = try await ClientConnection(configuration)
    // The first failure may come before the cause is known.
    try await waitUntil("calls to fail with '\(sentence)'", pausing: .zero) {
      let error = await failure { try await client.connected(within: nil) }
      return error?.message.contains(sentence) == true
    }
    await client.close()
  }

  @Test("packets that vanish, a refused connection, a name that cannot be resolved")
  func unreachable() async throws {
    let deaf = try #require(DeafPort())
    try await expect("cannot reach \(deaf.endpoint): no answer: its host is off", at: deaf.endpoint)
    let gone = ReservedPort()
    try await expect("cannot reach \(gone.endpoint): connection refused", at: gone.endpoint)
    // No name server is asked for a label of more than 63 characters.
    let name = "tcp://\(String(repeating: "a", count: 64)).example:5570"
    try await expect("cannot reach \(name): its name cannot be resolved", at: name)
    try await expect("cannot reach ipc:///nowhere/x: connection refused", at: "ipc:///nowhere/x")
  }

  @Test("a server that accepts connections and does not answer the handshake")
  func silentHandshake() async throws {
    let silent = ListeningPort()
    try await expect("\(silent.endpoint) accepted the connection, but has not", at: silent.endpoint)
  }

  @Test("a deadline that passes while there is no connection says why")
  func deadline() async throws {
    let gone = ReservedPort()
    var configuration = ConnectionConfiguration(endpoint: gone.endpoint)
    configuration.connectTimeout = .seconds(600)
    let client = try await ClientConnection(configuration)
    try await waitUntil("the refusal to be known", pausing: .zero) {
      let error = await failure {
        _ = try await client.unary(
          InteropService.empty,
          [],
          options: CallOptions(timeout: .milliseconds(10))
        )
      }
      #expect(error?.code == .deadlineExceeded)
      return error?.message.contains("connection refused") == true
    }
    await client.close()
  }

  @Test("a connection is waited for alone, and then it is there at once")
  func connected() async throws {
    let endpoint = TestServer.lastingEndpoint()
    var configuration = ConnectionConfiguration(endpoint: endpoint)
    configuration.connectTimeout = .seconds(600)
    let client = try await ClientConnection(configuration)
    async let waiting: Void = client.connected(within: nil)
    let server = try await TestServer.start(endpoint: endpoint)
    try await waiting
    try await client.connected(within: .zero)
    #expect(server.probe.sightings.executed == 0)
    await client.close()
    await #expect(throws: RPCError.self) { try await client.connected(within: nil) }
    await server.stop()
  }

  @Test("a name that has an address of IPv6 alone is reached", .enabled(if: ListeningPort.hasIPv6))
  func ipv6() async throws {
    let server = try await TestServer.start(endpoint: "tcp://[::1]:0")
    let port = try #require(Endpoint(server.endpoint).port)
    // Without brackets it is not an address but a name, which has no address of IPv4.
    for endpoint in ["tcp://::1:\(port)", "tcp://[::1]:\(port)"] {
      var configuration = ConnectionConfiguration(endpoint: endpoint)
      configuration.connectTimeout = .seconds(600)
      let client = try await ClientConnection(configuration)
      try await client.connected(within: nil)
      await client.close()
    }
    await server.stop()
  }
}

/// A port that accepts connections, and never says anything.
private final class ListeningPort {
  let endpoint: String
  fileprivate let descriptor: CInt
  fileprivate var address = sockaddr_in()

  init(backlog: CInt = 16) {
    descriptor = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let descriptor = descriptor
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && listen(descriptor, backlog) == 0
          && getsockname(descriptor, $0, &size) == 0
      }
    }
    precondition(isListening, "no port is left")
    endpoint = "tcp://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
  }

  deinit { close(descriptor) }

  static let hasIPv6: Bool = {
    let descriptor = Glibc.socket(AF_INET6, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_addr = in6addr_loopback
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
      }
    }
  }()
}

/// A port where packets vanish: the system has no room for another connection to it.
private final class DeafPort {
  let endpoint: String
  private let port: ListeningPort
  private var callers: [CInt] = []

  /// - Returns: `nil` where the system takes any number of connections.
  init?() {
    port = ListeningPort(backlog: 0)
    endpoint = port.endpoint
    for _ in 0..<64 where !isFull() {}
    guard isDeaf else { return nil }
  }

  private var isDeaf = false

  /// Whether one more connection is not made any more.
  private func isFull() -> Bool {
    if isDeaf { return true }
    let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let caller = Glibc.socket(AF_INET, kind, 0)
    callers.append(caller)
    withUnsafePointer(to: port.address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = connect(caller, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    var descriptor = pollfd(fd: caller, events: Int16(POLLOUT), revents: 0)
    isDeaf = poll(&descriptor, 1, 200) == 0
    return isDeaf
  }

  deinit { for caller in callers { close(caller) } }
}
