internal import Glibc

/// A socket that takes connections; libmicrohttpd closes it.
struct ListeningSocket {
  let descriptor: CInt
  let port: UInt16

  /// Listens.
  ///
  /// - Parameters:
  ///   - address: Where.
  ///   - silentSeconds: A connection ends whose other side has confirmed nothing of what was sent for so long. Without that it
  ///     stays for a quarter of an hour when its network is gone.
  /// - Throws: When the address cannot be used.
  init(_ address: HTTPAddress, silentSeconds: Int) throws(HTTPError) {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var found: UnsafeMutablePointer<addrinfo>?
    let problem = getaddrinfo(address.host, "\(address.port)", &hints, &found)
    guard problem == 0, let info = found else {
      throw HTTPError("\(address) cannot be used: \(String(cString: gai_strerror(problem)))")
    }
    defer { freeaddrinfo(found) }
    descriptor = socket(
      info.pointee.ai_family,
      CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue),
      0
    )
    guard descriptor >= 0 else { throw HTTPError("no socket for \(address): \(Self.reason)") }
    var one: CInt = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<CInt>.size))
    // Connections that are accepted have it too.
    var milliseconds = CUnsignedInt(silentSeconds * 1_000)
    setsockopt(
      descriptor,
      CInt(IPPROTO_TCP),
      TCP_USER_TIMEOUT,
      &milliseconds,
      socklen_t(MemoryLayout<CUnsignedInt>.size)
    )
    guard bind(descriptor, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0,
      listen(descriptor, 1_024) == 0
    else {
      let reason = Self.reason
      close(descriptor)
      throw HTTPError("\(address) cannot be used: \(reason)")
    }
    port = Self.port(of: descriptor)
  }

  private static var reason: String { String(cString: strerror(errno)) }

  private static func port(of descriptor: CInt) -> UInt16 {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &storage) { bytes in
      guard let base = bytes.baseAddress,
        getsockname(descriptor, base.assumingMemoryBound(to: sockaddr.self), &size) == 0
      else { return 0 }
      // IPv4 and IPv6 have the port in the same place.
      return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }
  }
}
