internal import Glibc

/// Which addresses may be connected to: those of the public internet, and what is allowed besides.
package struct AddressRule: Sendable {
  /// A range of addresses, of IPv4 or IPv6.
  package struct Range: Sendable {
    let bytes: [UInt8]
    let bits: Int

    /// Reads `10.1.0.0/16` or `fd00::/8`; `nil`: it is none.
    package init?(_ text: String) {
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count <= 2, let bytes = AddressRule.bytes(String(parts[0])) else { return nil }
      let most = bytes.count * 8
      guard parts.count == 1 || parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let bits = parts.count == 1 ? most : Int(parts[1]), (0...most).contains(bits)
      else { return nil }
      (self.bytes, self.bits) = (bytes, bits)
    }

    func contains(_ address: [UInt8]) -> Bool {
      guard address.count == bytes.count else { return false }
      for bit in 0..<bits where (address[bit / 8] ^ bytes[bit / 8]) & (0x80 >> UInt8(bit % 8)) != 0
      {
        return false
      }
      return true
    }
  }

  private static func ranges(_ texts: [String]) -> [Range] { texts.compactMap { Range($0) } }

  /// IANA's special addresses of IPv4, multicast, and what is reserved.
  private static let special4 = ranges([
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
    "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/4", "240.0.0.0/4",
  ])
  /// What is given to the public of IPv6, and the parts of it that are special or stand for IPv4.
  private static let public6 = ranges(["2000::/3"])
  private static let special6 = ranges([
    "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
  ])
  private static let mapped4 = ranges(["::ffff:0:0/96"])

  private let allowed: [Range]

  /// - Parameter allowed: What is allowed besides.
  package init(allowing allowed: [Range] = []) { self.allowed = allowed }

  /// Whether an address may be connected to.
  ///
  /// - Parameter address: 4 or 16 bytes.
  /// - Returns: Whether it may.
  package func admits(_ address: [UInt8]) -> Bool {
    if Self.mapped4.contains(where: { $0.contains(address) }) {
      return admits(Array(address.suffix(4)))
    }
    if allowed.contains(where: { $0.contains(address) }) { return true }
    if address.count == 4 { return !Self.special4.contains { $0.contains(address) } }
    return Self.public6.contains { $0.contains(address) }
      && !Self.special6.contains { $0.contains(address) }
  }

  /// Whether a socket's address may be connected to; other families may not.
  func admits(_ address: UnsafePointer<sockaddr>, length: Int) -> Bool {
    let raw = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
      let start = raw + (MemoryLayout<sockaddr_in>.offset(of: \.sin_addr) ?? 4)
      return admits(Array(UnsafeRawBufferPointer(start: start, count: 4)))
    case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
      let start = raw + (MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) ?? 8)
      return admits(Array(UnsafeRawBufferPointer(start: start, count: 16)))
    default: return false
    }
  }

  /// The bytes of an address in text.
  package static func bytes(_ text: String) -> [UInt8]? {
    for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: count)
      if inet_pton(family, text, &bytes) == 1 { return bytes }
    }
    return nil
  }
}
