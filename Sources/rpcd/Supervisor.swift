import Glibc

/// Who started rpcd and wants to know how it fares: systemd, or what speaks its protocol.
///
/// `NOTIFY_SOCKET` names a datagram socket that takes lines like `READY=1`, see sd_notify(3).
final class Supervisor: Sendable {
  /// A socket that cannot be used.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static let variable = "NOTIFY_SOCKET"

  private let socketName: String
  private let descriptor: CInt

  /// The supervisor that the environment names; `nil`: there is none.
  ///
  /// - Throws: `Failure` when it names something else than a socket's address.
  convenience init?(named name: String?) throws(Failure) {
    guard let name, !name.isEmpty else { return nil }
    try self.init(socketName: name)
  }

  private init(socketName: String) throws(Failure) {
    self.socketName = socketName
    let room = MemoryLayout.size(ofValue: sockaddr_un().sun_path)
    // A path ends with a zero; a name without a file begins with one.
    guard ["/", "@"].contains(socketName.prefix(1)), socketName.utf8.count < room else {
      throw Failure(
        description: "\(Self.variable) takes a path or @NAME of at most \(room - 1) bytes, not "
          + "'\(socketName)'"
      )
    }
    descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else {
      throw Failure(
        description: "there is no socket to be had: \(String(cString: strerror(errno)))"
      )
    }
  }

  deinit { close(descriptor) }

  /// Sends lines.
  ///
  /// - Parameters:
  ///   - lines: Names and values, for example `READY=1`.
  ///   - waits: Until there is room for it; the loop must not.
  /// - Throws: `Failure` when nobody takes it.
  func notify(_ lines: [String], waits: Bool = true) throws(Failure) {
    var text = lines.joined(separator: "\n")
    var (address, length) = Self.address(socketName)
    let flags = CInt(MSG_NOSIGNAL) | (waits ? 0 : CInt(MSG_DONTWAIT))
    let sent = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        text.withUTF8 { sendto(descriptor, $0.baseAddress, $0.count, flags, address, length) }
      }
    }
    guard sent < 0 else { return }
    let reason = String(cString: strerror(errno))
    throw Failure(description: "\(Self.variable) '\(socketName)' does not take notice: \(reason)")
  }

  private static func address(_ name: String) -> (sockaddr_un, socklen_t) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.utf8) }
    let pathOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
    guard name.hasPrefix("@") else { return (address, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    address.sun_path.0 = 0
    // Without a file the name is as long as is said, zeros and all.
    return (address, socklen_t(pathOffset + name.utf8.count))
  }
}
