internal import Glibc

/// A TCP connection without any protocol, for what no libzmq would send.
public final class TCPConnection: Sendable {
  private let descriptor: CInt

  /// Connects to `tcp://127.0.0.1:PORT`.
  ///
  /// - Parameters:
  ///   - endpoint: Where to.
  ///   - waits: Until there is a connection.
  /// - Throws: `WaitingFailure` when the system has no descriptor, or the connection is refused.
  public init(_ endpoint: String, waits: Bool = true) throws {
    guard let colon = endpoint.lastIndex(of: ":"),
      let port = UInt16(endpoint[endpoint.index(after: colon)...])
    else { throw WaitingFailure(description: "no port in \(endpoint)") }
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    descriptor = socket(AF_INET, waits ? kind : kind | CInt(SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw WaitingFailure(description: "no descriptor left") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let descriptor = descriptor
    let code = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 || errno == EINPROGRESS else {
      throw WaitingFailure(description: "cannot connect to \(endpoint)")
    }
  }

  deinit { close(descriptor) }

  /// Sends what fits; the other side may have gone.
  public func send(_ bytes: [UInt8]) {
    _ = Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
  }

  /// Whether the other side has ended the connection; takes what has arrived.
  public var hasEnded: Bool {
    var buffer = [UInt8](repeating: 0, count: 512)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
      if count > 0 { continue }
      return count == 0 || (errno != EAGAIN && errno != EINTR)
    }
  }
}

/// The limit of descriptors of this process and of those that it starts.
public enum Descriptors {
  public static var countMax: Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
  }
}
