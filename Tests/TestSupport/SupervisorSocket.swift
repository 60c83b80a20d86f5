internal import Foundation

/// The end of `NOTIFY_SOCKET` that a service manager has: what a process reports itself.
public final class SupervisorSocket: Sendable {
  /// The messages so far, each of one or more lines.
  public let messages = Observed<[String]>([])
  private let descriptor: CInt

  /// A socket.
  ///
  /// - Parameters:
  ///   - name: The path of a file, or `@` and a name that needs none.
  ///   - reads: `false`: nobody reads from it.
  /// - Throws: `WaitingFailure` when it cannot be made.
  public init(name: String, reads: Bool = true) throws {
    descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.utf8) }
    if name.hasPrefix("@") { address.sun_path.0 = 0 }
    let length = socklen_t(MemoryLayout.size(ofValue: address.sun_family) + name.utf8.count)
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    guard code == 0 else {
      throw WaitingFailure(description: "cannot bind \(name): \(String(cString: strerror(errno)))")
    }
    guard reads else { return }
    let (source, messages) = (descriptor, messages)
    // Ends with the tests' process: a thread that waits costs nothing.
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = recv(source, &buffer, buffer.count, 0)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        messages.update { $0.append(text) }
      }
    }
  }

  /// Takes nothing more: who is connected finds out.
  public func end() { shutdown(descriptor, CInt(SHUT_RDWR)) }
}
