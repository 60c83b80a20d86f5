/// Who may connect, and how they prove who they are.
public enum Security: Sendable {
  /// Callers are believed who they say they are, so only this machine may connect.
  case development
}

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

  /// Whether IPv6 must be switched on for it.
  var isIPv6: Bool { host?.hasPrefix("[") ?? false }

  /// Refuses what others can reach, when callers do not prove who they are.
  func check(_ security: Security) throws(TransportError) {
    switch security {
    case .development where !isLocal:
      throw TransportError(
        "\(text) can be reached by others, and in development mode callers are not authenticated: "
          + "bind 127.0.0.1, [::1], localhost or ipc"
      )
    case .development: break
    }
  }

  /// The host of a TCP endpoint; brackets included.
  private var host: Substring? {
    guard text.hasPrefix("tcp://") else { return nil }
    let address = text.dropFirst("tcp://".count)
    return address.lastIndex(of: ":").map { address[..<$0] }
  }
}
