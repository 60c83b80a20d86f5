/// Which PostgreSQL database to use, and how to log in: a URI, of which only this type knows the password.
///
/// - SeeAlso: PostgreSQL, "Connection URIs".
public struct PostgresAddress: Sendable, CustomStringConvertible {
  /// An address that cannot be used; its words contain no part of the address that may be secret.
  public struct Invalid: Error, Hashable, CustomStringConvertible {
    /// What is wrong and what to do.
    public let description: String
  }

  /// The URI without a password and without options.
  public let description: String
  private let uri: String

  private static let schemes = ["postgresql://", "postgres://"]

  /// Reads a URI.
  ///
  /// libpq's messages quote what it takes for a host or a port, which is a part of the password if a
  /// character of it is not encoded. So an address in which that may be is refused.
  ///
  /// - Throws: `Invalid`.
  public init(_ uri: String) throws(Invalid) {
    guard let scheme = Self.schemes.first(where: uri.hasPrefix) else {
      throw Invalid(description: "expected postgresql://USER:PASSWORD@HOST:PORT/DATABASE")
    }
    guard uri.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else {
      throw Invalid(
        description: "the address contains spaces or control characters: encode them, as %20"
      )
    }
    let rest = uri.dropFirst(scheme.count)
    let authority = rest.prefix { !"/?".contains($0) }
    let parts = authority.split(separator: "@", omittingEmptySubsequences: false)
    let path = rest.dropFirst(authority.count)
    guard parts.count <= 2, !path.prefix(while: { $0 != "?" }).contains("@"),
      parts.count == 2 || !path.contains("@")
    else {
      throw Invalid(
        description: "the password contains '@', '/' or '?': encode them as %40, %2F and %3F"
      )
    }
    guard Self.isEncoded(uri) else {
      throw Invalid(description: "'%' must be followed by two hexadecimal digits: encode it as %25")
    }
    let hosts = parts.last ?? ""
    guard hosts.split(separator: ",").allSatisfy(Self.isHost) else {
      throw Invalid(
        description: "the port is not a number, or the password contains ':': encode it as %3A"
      )
    }
    let user = parts.count == 2 ? parts[0].prefix { $0 != ":" } + "@" : ""
    description = "postgresql://\(user)\(hosts)\(path.prefix { $0 != "?" })"
    self.uri = uri
  }

  /// What libpq gets; what comes later replaces what came before.
  var parameters: [(String, String)] {
    [
      ("connect_timeout", "5"),
      ("fallback_application_name", "rpcd"),
      // A server that is gone is noticed while a transaction waits for it.
      ("keepalives_idle", "2"),
      ("keepalives_interval", "2"),
      ("keepalives_count", "3"),
      ("tcp_user_timeout", "8000"),
      ("dbname", uri),
      ("client_encoding", "UTF8"),
    ]
  }

  private static func isHost(_ host: Substring) -> Bool {
    let port = host.last == "]" ? "" : host.split(separator: "]").last ?? ""
    let pieces = port.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard pieces.count == 2 else { return true }
    return pieces[1].isEmpty || UInt16(pieces[1]) != nil
  }

  private static func isEncoded(_ uri: String) -> Bool {
    let pieces = uri.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
    return pieces.dropFirst().allSatisfy { piece in
      let digits = piece.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
      return digits.count == 2 && digits != [0, 0]
    }
  }
}
