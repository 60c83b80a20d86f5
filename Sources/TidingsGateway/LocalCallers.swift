internal import TidingsHTTP

/// Who may call while the server trusts names: programs of this machine, and pages of this machine.
///
/// A browser calls in the name of every page that it shows, of the internet too, and without asking if the request is a
/// simple one. It says so in headers that no page can change, and other programs do not send.
struct LocalCallers: Sendable {
  /// Of `--public-url`, at which a proxy of this machine may take requests.
  private let publicHost: String?

  init(publicURL: String?) {
    publicHost = publicURL.flatMap { Self.host(ofURL: $0) }
  }

  /// Returns why a request is refused; `nil`: it is not.
  func problem(_ head: HTTPHead) -> String? {
    // A page of the internet whose name leads here has the gateway's own origin, but this name.
    if let host = head.header("host"), !isOfThisMachine(Self.withoutPort(host[...])) {
      return
        "in development mode the header Host is a name of this machine, as 127.0.0.1 or localhost, or that of --public-url"
    }
    guard let origin = head.header("origin") else {
      // Browsers say no origin when they only fetch, and the page does not see the answer.
      let isForeign =
        head.header("sec-fetch-site") == "cross-site" && head.header("sec-fetch-mode") != "navigate"
      return isForeign ? Self.foreign : nil
    }
    return Self.host(ofURL: origin).map(isOfThisMachine) == true ? nil : Self.foreign
  }

  private static let foreign =
    "in development mode pages may call that were loaded from this machine, as from http://localhost:3000: serve the "
    + "page there, or start rpcgw and rpcd with keys"

  private func isOfThisMachine(_ host: String) -> Bool {
    HTTPAddress(host: host, port: 0).isLoopback || host.hasSuffix(".localhost")
      || host == publicHost
  }

  /// `nil`: it is no URL, as the origin `null` of files and of pages without an origin.
  private static func host(ofURL url: String) -> String? {
    let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count >= 3, parts[0].hasSuffix(":"), parts[1].isEmpty else { return nil }
    return withoutPort(parts[2])
  }

  private static func withoutPort(_ text: Substring) -> String {
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      return text[text.index(after: text.startIndex)..<end].lowercased()
    }
    return text.prefix { $0 != ":" }.lowercased()
  }
}
