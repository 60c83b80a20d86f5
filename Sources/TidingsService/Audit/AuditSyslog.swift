internal import Glibc

/// Copies the lines of the audit log to syslog or the journal, over the socket that syslog(3) writes to.
///
/// Belongs to the audit log's thread. Whoever does not take the lines is waited for a moment, then
/// they are counted and lost; they are in the files in any case.
struct AuditSyslog: ~Copyable {
  /// Longest path of a socket, in bytes.
  static let pathBytesMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
  /// How long the lines that are written at once may wait for room.
  private static let patience = Duration.seconds(1)
  /// Security messages, not for everybody: LOG_AUTHPRIV.
  private static let facility = 10 << 3

  private let path: String
  private var descriptor: CInt = -1

  /// A way to a socket; `nil`: the path cannot be one's.
  init?(path: String) {
    guard path.hasPrefix("/"), path.utf8.count <= Self.pathBytesMax else { return nil }
    self.path = path
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Connects, unless it is connected.
  ///
  /// - Returns: Why that is not possible; `nil`: it is connected.
  mutating func connect() -> String? {
    guard descriptor < 0 else { return nil }
    let kind = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let new = socket(AF_UNIX, kind, 0)
    guard new >= 0 else { return String(cString: strerror(errno)) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        systemConnect(new, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard code == 0 else {
      let reason = String(cString: strerror(errno))
      close(new)
      return reason
    }
    descriptor = new
    return nil
  }

  /// Sends lines.
  ///
  /// - Parameters:
  ///   - lines: With or without their ends.
  ///   - areRefusals: They are about refused actions.
  /// - Returns: How many were lost.
  mutating func send(_ lines: [[UInt8]], areRefusals: Bool) -> Int {
    let end = ContinuousClock.now.advanced(by: Self.patience)
    for (index, line) in lines.enumerated() {
      guard send(line, areRefusals ? LOG_WARNING : LOG_NOTICE, until: end) else {
        return lines.count - index
      }
    }
    return 0
  }

  private mutating func send(
    _ line: [UInt8],
    _ severity: CInt,
    until end: ContinuousClock.Instant
  ) -> Bool {
    let text = line.last == UInt8(ascii: "\n") ? line.dropLast() : line[...]
    let bytes =
      Array("<\(Self.facility | Int(severity))>\(Self.time()) rpcd[\(getpid())]: ".utf8) + text
    var hasReconnected = false
    while true {
      guard connect() == nil else { return false }
      if systemSend(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL)) >= 0 { return true }
      switch errno {
      case EINTR: continue
      case EAGAIN, ENOBUFS:
        let left = ContinuousClock.now.duration(to: end)
        guard left > .zero else { return false }
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&ready, 1, CInt(left.components.attoseconds / 1_000_000_000_000_000) + 1)
      default:
        // syslog was restarted: its socket is another one now.
        close(descriptor)
        descriptor = -1
        guard !hasReconnected else { return false }
        hasReconnected = true
      }
    }
  }

  /// The time as syslog(3) writes it.
  private static func time() -> String {
    var now = time_t()
    _ = systemTime(&now)
    var parts = tm()
    localtime_r(&now, &parts)
    var text = [CChar](repeating: 0, count: 32)
    let count = strftime(&text, text.count, "%b %e %H:%M:%S", &parts)
    return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

private let systemConnect = Glibc.connect
private let systemSend = Glibc.send
private let systemTime = Glibc.time
