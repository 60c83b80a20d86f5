internal import Glibc
internal import TidingsHTTP

/// Where a request comes from: what proxies say is taken from those alone that are trusted.
enum ClientAddress {
  /// - Parameters:
  ///   - head: The request.
  ///   - trusted: Addresses of proxies.
  /// - Returns: The last address on the way that is no trusted proxy's.
  static func of(_ head: HTTPHead, trusting trusted: Set<String>) -> String {
    guard trusted.contains(head.peer) else { return head.peer }
    var client = head.peer
    for hop in hops(head).reversed() {
      guard let address = address(hop) else { break }
      client = address
      guard trusted.contains(address) else { break }
    }
    return client
  }

  /// What is counted together: a host of IPv6 has all addresses of its network.
  static func network(of address: String) -> String {
    var bytes = in6_addr()
    guard inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
    let groups = withUnsafeBytes(of: &bytes) { bytes in
      stride(from: 0, to: 8, by: 2).map {
        String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
      }
    }
    return groups.joined(separator: ":") + "::/64"
  }

  /// The addresses of `Forwarded` (RFC 7239), or of `X-Forwarded-For`, in the order of the way.
  private static func hops(_ head: HTTPHead) -> [Substring] {
    let forwarded = values("forwarded", head)
    guard forwarded.isEmpty else {
      return forwarded.map { element in
        let pair = element.split(separator: ";").map(trim)
          .first { $0.lowercased().hasPrefix("for=") }
        return pair?.dropFirst("for=".count) ?? ""
      }
    }
    return values("x-forwarded-for", head)
  }

  private static func values(_ name: String, _ head: HTTPHead) -> [Substring] {
    head.headers.filter { $0.name == name }
      .flatMap { $0.value.split(separator: ",").map(trim) }
  }

  private static func trim(_ text: Substring) -> Substring {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }

  /// An address without quotes, brackets and port; `nil`: it is none, as `unknown` is.
  private static func address(_ hop: Substring) -> String? {
    var text = hop.filter { $0 != "\"" }
    if text.hasPrefix("[") {
      text = String(text.dropFirst().prefix { $0 != "]" })
    } else if text.count(where: { $0 == ":" }) == 1 {
      text = String(text.prefix { $0 != ":" })
    }
    let isAddress = text.allSatisfy { $0.isHexDigit || $0 == "." || $0 == ":" }
    return isAddress && text.contains { $0 == "." || $0 == ":" } && text.utf8.count <= 45
      ? text.lowercased() : nil
  }
}
