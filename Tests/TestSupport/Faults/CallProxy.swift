internal import Foundation
internal import RandomSupport
internal import Synchronization

/// Stands between clients and a server's port for calls, and cuts connections in the middle of
/// whatever they carry.
///
/// Where it cuts follows from its seed and from the bytes that pass, never from the clock.
public final class CallProxy: Sendable {
  fileprivate struct State {
    var random: SplitMix64
    var bytesMax: Int?
    var cutCount = 0
    var open: [ObjectIdentifier: CutConnection] = [:]
  }

  /// Where clients connect.
  public let endpoint: String
  private let listener: Int32
  private let state: Mutex<State>

  /// How many connections were cut.
  public var cutCount: Int { state.withLock(\.cutCount) }

  /// Passes on to a port of this machine; a connection carries at most so many bytes either way.
  public init(to endpoint: String, cutWithin bytesMax: Int, seed: UInt64) throws {
    guard let target = endpoint.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      throw WaitingFailure(description: "no port in \(endpoint)")
    }
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = Self.address(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        bind(listener, generic, length) == 0 && listen(listener, 128) == 0
          && getsockname(listener, generic, &length) == 0
      }
    }
    guard isListening else { throw WaitingFailure(description: "no port left for a proxy") }
    self.endpoint = "tcp://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    state = Mutex(State(random: SplitMix64(seed: seed), bytesMax: bytesMax))
    self.listener = listener
    Thread.detachNewThread { [weak self] in
      while true {
        let client = accept(listener, nil, nil)
        if client < 0 && errno == EINTR { continue }
        guard client >= 0, let self else { break }
        self.serve(client, target)
      }
      close(listener)
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    for connection in state.withLock({ Array($0.open.values) }) { connection.cut() }
  }

  /// Cuts no more.
  public func behave() { state.withLock { $0.bytesMax = nil } }

  private func serve(_ client: Int32, _ target: UInt16) {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = Self.address(port: target)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    let connection = CutConnection(client, server)
    guard isConnected else { return }
    let budgets = state.withLock { state in
      state.open[ObjectIdentifier(connection)] = connection
      return (0..<2).map { _ in state.bytesMax.map { 1 + state.random.below($0) } ?? .max }
    }
    for (budget, (from, to)) in zip(budgets, [(client, server), (server, client)]) {
      Thread.detachNewThread { [weak self] in
        let isCut = connection.pump(from: from, to: to, atMost: budget) {
          self?.state.withLock { $0.bytesMax != nil } ?? false
        }
        self?.state.withLock { state in
          if isCut { state.cutCount += 1 }
          state.open[ObjectIdentifier(connection)] = nil
        }
      }
    }
  }

  private static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }
}

/// Two ends of what a client considers to be one connection; closed when the last thread lets it go.
private final class CutConnection: Sendable {
  private let ends: (client: Int32, server: Int32)

  init(_ client: Int32, _ server: Int32) {
    ends = (client, server)
    var yes: Int32 = 1
    for end in [client, server] {
      setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  deinit {
    close(ends.client)
    close(ends.server)
  }

  func cut() {
    shutdown(ends.client, Int32(SHUT_RDWR))
    shutdown(ends.server, Int32(SHUT_RDWR))
  }

  /// Passes bytes on until an end is closed or so many went through; then both are.
  ///
  /// - Returns: Whether it was cut here.
  func pump(from: Int32, to: Int32, atMost budget: Int, while cuts: () -> Bool) -> Bool {
    defer { cut() }
    var (buffer, rest) = ([UInt8](repeating: 0, count: 65_536), budget)
    while true {
      var count = recv(from, &buffer, buffer.count, 0)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      let isLast = count >= rest && cuts()
      if isLast { count = rest }
      rest -= min(rest, count)
      var sent = 0
      while sent < count {
        let more = buffer[sent..<count].withUnsafeBytes {
          Foundation.send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if more < 0 && errno == EINTR { continue }
        guard more > 0 else { return false }
        sent += more
      }
      if isLast { return true }
    }
  }
}
