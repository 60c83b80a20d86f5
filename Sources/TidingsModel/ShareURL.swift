/// What an owner gives to those who are to accept a share:
/// `tidings://share/CONTAINER/ENVIRONMENT/TOKEN`.
public struct ShareURL: Hashable, Sendable, CustomStringConvertible {
  /// Bytes of a token: nobody guesses it.
  public static let tokenBytes = 16
  private static let prefix = "tidings://share/"

  /// The container.
  public let container: String
  /// The environment.
  public let environment: Environment
  /// Names the share; `tokenBytes` random bytes, in the URL as base64url.
  public let token: [UInt8]

  /// A URL from its parts.
  public init(container: String, environment: Environment, token: [UInt8]) {
    precondition(token.count == Self.tokenBytes, "a share's token has \(Self.tokenBytes) bytes")
    self.container = container
    self.environment = environment
    self.token = token
  }

  /// Reads a URL; `nil`: it is none.
  public init?(_ text: String) {
    guard text.utf8.count <= 512, text.hasPrefix(Self.prefix) else { return nil }
    let parts = text.dropFirst(Self.prefix.count)
      .split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, let environment = Environment(word: parts[1]),
      let token = Self.bytes(parts[2].utf8),
      Identifier.problem(inContainer: String(parts[0])) == nil
    else { return nil }
    self.init(container: String(parts[0]), environment: environment, token: token)
  }

  /// The URL.
  public var description: String {
    "\(Self.prefix)\(container)/\(environment.word)/\(Self.text(token))"
  }

  // MARK: base64url

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
  )

  private static func text(_ bytes: [UInt8]) -> String {
    var (text, bits, count) = ([] as [UInt8], 0, 0)
    for byte in bytes {
      bits = bits << 8 | Int(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(alphabet[bits >> count & 63])
      }
      bits &= (1 << count) - 1
    }
    if count > 0 { text.append(alphabet[bits << (6 - count) & 63]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a token; `nil`: it is none, or not in the one form that it has.
  private static func bytes(_ text: Substring.UTF8View) -> [UInt8]? {
    guard text.count == (tokenBytes * 8 + 5) / 6 else { return nil }
    var (bytes, bits, count) = ([] as [UInt8], 0, 0)
    for letter in text {
      guard let value = alphabet.firstIndex(of: letter) else { return nil }
      bits = bits << 6 | value
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      bits &= (1 << count) - 1
    }
    return bits == 0 && bytes.count == tokenBytes ? bytes : nil
  }
}

extension Environment {
  fileprivate var word: String { self == .production ? "production" : "development" }

  fileprivate init?(word: Substring) {
    switch word {
    case "development": self = .development
    case "production": self = .production
    default: return nil
    }
  }
}
