/// The endpoints of the nodes that serve one database, in the order in which a client tries them.
public enum EndpointList {
  /// Returns the endpoints in a text with commas between them, without the blanks around them.
  ///
  /// Nothing is checked: a blank item stays one, for `problem` to report.
  public static func split(_ text: String) -> [String] {
    text.split(separator: ",", omittingEmptySubsequences: false).map { item in
      let start = item.drop { $0.isWhitespace }
      return String(start.prefix(start.count - start.reversed().prefix { $0.isWhitespace }.count))
    }
  }

  /// Returns what is wrong with a list, in a sentence; `nil` if a client can use it.
  public static func problem(in endpoints: [String]) -> String? {
    if endpoints.isEmpty {
      return "the list of endpoints is empty: it needs at least one, such as tcp://127.0.0.1:5570"
    }
    let context = endpoints.count > 1 ? " in the list of endpoints" : ""
    for (index, endpoint) in endpoints.enumerated() {
      if endpoints.count > 1, endpoint.allSatisfy(\.isWhitespace) {
        return
          "item \(index + 1) of the list of endpoints is blank: remove it, or the comma before it"
      }
      if !Endpoint(endpoint).hasSoundBrackets {
        return
          "'\(endpoint)'\(context) is malformed: brackets are for IPv6 addresses, as in tcp://[::1]:5570"
      }
      if !isWellFormed(endpoint) {
        return "'\(endpoint)'\(context) is malformed: use tcp://HOST:PORT or ipc://PATH"
      }
      if endpoints[..<index].contains(endpoint) {
        return "'\(endpoint)' is in the list of endpoints twice: name each endpoint once"
      }
    }
    return nil
  }

  /// Whether libzmq would begin to connect to it.
  private static func isWellFormed(_ text: String) -> Bool {
    for scheme in ["ipc://", "inproc://"] where text.hasPrefix(scheme) {
      return text.utf8.count > scheme.utf8.count
    }
    guard text.hasPrefix("tcp://"), let colon = text.lastIndex(of: ":") else { return false }
    let host = text[..<colon].dropFirst("tcp://".count)
    let hasHost =
      !host.isEmpty
      && host.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || ".-_:%;[]*".contains($0)) }
    return hasHost && (Endpoint(text).port ?? 0) > 0
  }
}
