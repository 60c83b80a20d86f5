internal import Foundation

/// A port of 127.0.0.1 whose connections a proxy passes on.
final class ProxyListener: Sendable {
  let port: UInt16
  private let descriptor: Int32

  init() throws {
    descriptor = Self.makeSocket()
    var address = Self.address(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        bind(descriptor, generic, length) == 0 && listen(descriptor, 128) == 0
          && getsockname(descriptor, generic, &length) == 0
      }
    }
    guard isListening else {
      close(descriptor)
      throw WaitingFailure(description: "no port left for a proxy")
    }
    port = UInt16(bigEndian: address.sin_port)
  }

  /// Ends the thread that accepts, which closes the port.
  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Accepts connections on a thread of its own, as long as the proxy takes them.
  ///
  /// - Parameter serve: Takes a client's connection; false: the proxy is gone, and the connection is closed.
  func accept(_ serve: @escaping @Sendable (Int32) -> Bool) {
    let descriptor = descriptor
    Thread.detachNewThread {
      while true {
        let client = Foundation.accept(descriptor, nil, nil)
        if client < 0 && errno == EINTR { continue }
        guard client >= 0 else { break }
        guard serve(client) else {
          close(client)
          break
        }
      }
      close(descriptor)
    }
  }

  /// Connects to a port of this machine; `nil`: nobody listens there.
  static func connect(to port: UInt16) -> Int32? {
    let descriptor = makeSocket()
    var address = address(port: port)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  private static func makeSocket() -> Int32 {
    socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
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
final class ProxiedConnection: Sendable {
  let client: Int32
  let server: Int32

  init(client: Int32, server: Int32) {
    (self.client, self.server) = (client, server)
    var yes: Int32 = 1
    for end in [client, server] {
      setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  deinit {
    close(client)
    close(server)
  }

  /// Ends both sides; what was sent before still arrives.
  func cut() {
    shutdown(client, Int32(SHUT_RDWR))
    shutdown(server, Int32(SHUT_RDWR))
  }

  /// Waits for bytes; empty: the other side has ended.
  static func receive(from descriptor: Int32, into buffer: inout [UInt8]) -> ArraySlice<UInt8> {
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0 && errno == EINTR { continue }
      return buffer[..<max(0, count)]
    }
  }

  /// Sends all of the bytes; returns false when the other side has ended.
  static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
