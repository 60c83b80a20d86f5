import FoundationEssentials
import Glibc
import TidingsProto

/// A connection to the web gateway on which server-sent events arrive.
final class EventStream {
  private let file: CInt
  private var received: [UInt8] = []
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  /// Opens the stream of a user, and waits until it begins.
  ///
  /// - Parameters:
  ///   - url: Where the gateway in development mode is called: `http://ADDRESS:PORT`.
  ///   - user: Whose notifications come.
  /// - Throws: `BenchError`.
  init(_ url: String, user: String) throws {
    let parts = url.split { $0 == "/" || $0 == ":" }
    guard parts.count == 3, let port = UInt16(parts[2]) else {
      throw BenchError("the gateway is not called at '\(url)'")
    }
    file = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    guard file >= 0, inet_pton(AF_INET, String(parts[1]), &address.sin_addr) == 1 else {
      throw BenchError(system: "making a socket for \(url)", code: errno)
    }
    let code = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw BenchError(system: "connecting to \(url)", code: errno) }
    var limit = timeval(tv_sec: Int(RawSocket.timeoutMilliseconds) / 1000, tv_usec: 0)
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let container = Calls.database.container
    let query = "ckAPIToken=x&ckWebAuthToken=dev:\(user)&from=now"
    let request = Array(
      "GET /events/\(container)/development?\(query) HTTP/1.1\r\nHost: x\r\n\r\n".utf8
    )
    guard write(file, request, request.count) == request.count else {
      throw BenchError(system: "asking \(url)", code: errno)
    }
    // The first ID says where it begins.
    try read(until: "id:")
  }

  deinit { close(file) }

  /// Reads until a text has arrived, and forgets what came before.
  func read(until text: String) throws {
    let wanted = Array(text.utf8)
    while received.firstRange(of: wanted) == nil {
      let count = Glibc.read(file, &buffer, buffer.count)
      if count < 0, errno == EINTR {
        try Interruption.check()
        continue
      }
      guard count > 0 else {
        let text = String(decoding: received, as: UTF8.self)
        throw BenchError("the stream of events ended, or nothing came for 10 s: \(text)")
      }
      received += buffer[..<count]
    }
    received.removeAll(keepingCapacity: true)
  }
}
