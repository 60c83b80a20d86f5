import Glibc
import Synchronization
import TidingsThreads

/// Carries connections to a socket file of this machine, and every byte later by a time: a database that is as far away.
///
/// The system's timers add about 50 µs.
final class DelayingProxy {
  /// Where it listens on 127.0.0.1.
  let port: UInt16
  private let listener: CInt

  /// Begins to listen.
  ///
  /// - Parameters:
  ///   - path: The socket file.
  ///   - delay: How long each byte takes, in either direction.
  /// - Throws: `BenchError`.
  init(to path: String, delay: Duration) throws {
    let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 64) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard isListening else { throw BenchError(system: "listening for connections to a database") }
    port = UInt16(bigEndian: address.sin_port)
    startThread {
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        guard let server = Self.connection(to: path) else {
          close(client)
          continue
        }
        var one: CInt = 1
        let size = socklen_t(MemoryLayout<CInt>.size)
        setsockopt(client, CInt(IPPROTO_TCP), TCP_NODELAY, &one, size)
        let sockets = Sockets(client: client, server: server)
        Direction(of: sockets, from: client, to: server, delay).begin()
        Direction(of: sockets, from: server, to: client, delay).begin()
      }
    }
  }

  /// Ends the listening; connections end with their clients.
  deinit { shutdown(listener, CInt(SHUT_RDWR)) }

  private static func connection(to path: String) -> CInt? {
    let server = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: path.utf8.prefix($0.count - 1))
    }
    let isConnected = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    if isConnected { return server }
    close(server)
    return nil
  }

  /// A client's connection and the one to the database, which are closed when neither direction needs them.
  private final class Sockets: Sendable {
    private let client: CInt
    private let server: CInt

    init(client: CInt, server: CInt) { (self.client, self.server) = (client, server) }

    deinit {
      close(client)
      close(server)
    }
  }

  /// One direction of a connection: a thread reads, and another one writes what is due.
  private final class Direction: Sendable {
    private struct Piece {
      let due: ContinuousClock.Instant
      /// Empty: the end.
      let bytes: [UInt8]
    }

    private let sockets: Sockets
    private let source: CInt
    private let target: CInt
    private let delay: Duration
    private let pieces = Mutex<[Piece]>([])
    private let arrivals = Semaphore()

    init(of sockets: Sockets, from source: CInt, to target: CInt, _ delay: Duration) {
      self.sockets = sockets
      (self.source, self.target, self.delay) = (source, target, delay)
    }

    func begin() {
      startThread { self.read() }
      startThread { self.write() }
    }

    private func read() {
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        let count = max(0, Glibc.read(source, &buffer, buffer.count))
        let piece = Piece(due: .now.advanced(by: delay), bytes: Array(buffer[..<count]))
        pieces.withLock { $0.append(piece) }
        arrivals.signal()
        if count == 0 { return }
      }
    }

    private func write() {
      while true {
        arrivals.wait()
        let piece = pieces.withLock { $0.removeFirst() }
        let rest = ContinuousClock.now.duration(to: piece.due)
        if rest > .zero { usleep(useconds_t(rest / .microseconds(1))) }
        guard !piece.bytes.isEmpty else { break }
        var written = 0
        while written < piece.bytes.count {
          let count = piece.bytes[written...].withUnsafeBytes {
            send(target, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
          }
          guard count > 0 else { break }
          written += count
        }
      }
      shutdown(target, CInt(SHUT_WR))
    }
  }
}
