/// What an address such as `tcp://127.0.0.1:5570` says.
struct Endpoint {
  let text: String

  init(_ text: String) { self.text = text }

  /// Whether only this machine can reach it.
  var isLocal: Bool {
    if text.hasPrefix("ipc://") || text.hasPrefix("inproc://") { return true }
    guard let host else { return false }
    if host == "localhost" || host == "[::1]" { return true }
    let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
  }

  /// The port of a TCP endpoint.
  var port: UInt16? {
    guard text.hasPrefix("tcp://"), let colon = text.lastIndex(of: ":") else { return nil }
    return UInt16(text[text.index(after: colon)...])
  }

  /// Whether IPv6 must be switched on for it.
  var isIPv6: Bool { host?.hasPrefix("[") ?? false }

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

  /// The host of a TCP endpoint; brackets included.
  private var host: Substring? {
    guard text.hasPrefix("tcp://") else { return nil }
    let address = text.dropFirst("tcp://".count)
    return address.lastIndex(of: ":").map { address[..<$0] }
  }
}

extension String {
  fileprivate func replacing(_ host: String, _ other: String) -> String {
    "tcp://" + other + dropFirst("tcp://".count + host.count)
  }
}
