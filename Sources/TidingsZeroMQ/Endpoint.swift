internal import Glibc

/// What an address such as `tcp://127.0.0.1:5570` says.
struct Endpoint {
  let text: String

  init(_ text: String) { self.text = text }

  /// Whether only this machine can reach it.
  var isLocal: Bool {
    if text.hasPrefix("ipc://") || text.hasPrefix("inproc://") { return true }
    guard let host else { return false }
    if host == "localhost" || host == "[::1]" { return true }
    return host.hasPrefix("127.") && isIPv4(host)
  }

  /// The port of a TCP endpoint.
  var port: UInt16? {
    guard text.hasPrefix("tcp://"), let colon = text.lastIndex(of: ":") else { return nil }
    return UInt16(text[text.index(after: colon)...])
  }

  /// Whether its host is an address of IPv6.
  var isIPv6: Bool { host?.hasPrefix("[") ?? false }

  /// Whether its host is a name, which must be resolved.
  var hasName: Bool {
    guard let host, !isIPv6 else { return false }
    return !isIPv4(host)
  }

  /// Where a socket of this machine reaches what is bound to it.
  var reachable: String {
    switch host {
    case "0.0.0.0"?: text.replacing("0.0.0.0", "127.0.0.1")
    case "[::]"?: text.replacing("[::]", "[::1]")
    default: text
    }
  }

  /// Refuses what others can reach, when callers do not prove who they are.
  func check(_ security: Security) throws(TransportError) {
    switch security {
    case .development where !isLocal:
      throw TransportError(
        "\(text) can be reached by others, and in development mode callers are not authenticated: "
          + "bind 127.0.0.1, [::1], localhost or ipc"
      )
    case .development, .curveServer: break
    case .curveClient:
      throw TransportError("\(text) cannot be served with a client's keys: use a server's")
    }
  }

  /// Whether only an address of IPv6 stands in brackets, one of a network link with its zone.
  var hasSoundBrackets: Bool {
    guard let host, host.contains("[") || host.contains("]") else { return true }
    guard host.hasPrefix("["), host.hasSuffix("]") else { return false }
    let address = host.dropFirst().dropLast().prefix { $0 != "%" }
    var bytes = in6_addr()
    return inet_pton(AF_INET6, String(address), &bytes) == 1
  }

  /// The host of a TCP endpoint; brackets included, without the address of this machine before a semicolon.
  private var host: Substring? {
    guard text.hasPrefix("tcp://") else { return nil }
    let address = text.dropFirst("tcp://".count)
    guard let colon = address.lastIndex(of: ":") else { return nil }
    let start = address.lastIndex(of: ";").map(address.index(after:)) ?? address.startIndex
    return start <= colon ? address[start..<colon] : nil
  }

  private func isIPv4(_ host: Substring) -> Bool {
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
  }
}

extension String {
  fileprivate func replacing(_ host: String, _ other: String) -> String {
    "tcp://" + other + dropFirst("tcp://".count + host.count)
  }
}
