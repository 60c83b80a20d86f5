/// Where and how a server listens.
package struct HTTPConfiguration: Sendable {
  /// Where it listens.
  package var address: HTTPAddress
  /// Certificate chain and private key as PEM; `nil`: no TLS.
  package var tls: (certificate: String, key: String)?
  /// Connections at a time; further ones are closed.
  package var connectionsMax = 2_000
  /// Of one address; 0: no limit.
  package var connectionsPerAddressMax = 0
  /// A connection that sends nothing for so long is closed, and so is one that confirms nothing of what is sent to it.
  package var idleSeconds = 30
  /// Threads of libmicrohttpd.
  package var threadCount = 2
  /// Memory for the head of a request, a line and all headers together.
  package var headBytesMax = 16 << 10
  /// Memory for the bodies of all requests together; further ones are refused.
  package var bodiesBytesMax = 256 << 20
  /// Where bodies are kept that do not fit into memory.
  package var temporaryFolder = "/tmp"

  package init(address: HTTPAddress) { self.address = address }
}

/// `HOST:PORT` or `[HOST]:PORT`.
package struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
  package var host: String
  package var port: UInt16

  package init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

  /// Reads an address; `nil`: it is none.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self.init(host: String(host), port: port)
  }

  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Only programs of this machine reach it.
  package var isLoopback: Bool {
    host == "::1" || host == "localhost"
      || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
  }
}

/// Why a server cannot start.
package struct HTTPError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
