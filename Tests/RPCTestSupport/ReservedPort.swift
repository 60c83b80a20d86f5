internal import Glibc

/// A port on which one server after the other can listen, and that the system gives to nobody else meanwhile.
///
/// It is bound, and never listens: whoever names the port can listen there (SO_REUSEADDR), and all others are given
/// another one, those who connect from a free port too.
public final class ReservedPort: Sendable {
  /// Nobody listens there until a server does: connections are refused.
  public let endpoint: String
  /// Of 127.0.0.1.
  public let number: UInt16
  private let descriptor: CInt

  public init() {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var (isReusable, byteCount) = (1 as CInt, socklen_t(MemoryLayout<sockaddr_in>.size))
    setsockopt(
      descriptor,
      SOL_SOCKET,
      SO_REUSEADDR,
      &isReusable,
      socklen_t(MemoryLayout<CInt>.size)
    )
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, byteCount) == 0 && getsockname(descriptor, $0, &byteCount) == 0
      }
    }
    precondition(isBound, "no port is left: \(String(cString: strerror(errno)))")
    self.descriptor = descriptor
    number = UInt16(bigEndian: address.sin_port)
    endpoint = "tcp://127.0.0.1:\(number)"
  }

  deinit { close(descriptor) }
}
