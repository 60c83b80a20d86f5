internal import TidingsClient
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto

/// The parts of a token that can be read without the server's secret.
struct TokenInspection: Equatable {
  enum Kind: Equatable {
    /// A position in a feed: the store's incarnation, and numbers that only the server understands.
    case changeToken(incarnation: [UInt8], numbers: [UInt64])
    /// The state of a watch, with its position in the log.
    case watchState(owner: String, changeToken: [UInt8])
    case unknown
  }

  private static let version: UInt8 = 1
  private static let incarnationBytes = 8
  private static let hashBytes = 16

  let kind: Kind
  private let bytesCount: Int

  /// Parses a token.
  init(_ bytes: [UInt8]) {
    bytesCount = bytes.count
    if let position = try? InboxPosition(bytes: bytes) {
      kind = .watchState(owner: position.ownerText, changeToken: position.changeToken)
    } else {
      kind = Self.changeToken(bytes) ?? .unknown
    }
  }

  private static func changeToken(_ bytes: [UInt8]) -> Kind? {
    let headBytes = 1 + incarnationBytes
    guard bytes.first == version, bytes.count > headBytes + hashBytes else { return nil }
    var numbers: [UInt64] = []
    var (number, shift) = (UInt64(0), UInt64(0))
    for byte in bytes[headBytes..<(bytes.count - hashBytes)] {
      guard shift < 64 else { return nil }
      number |= UInt64(byte & 0x7f) << shift
      shift += 7
      if byte < 0x80 {
        numbers.append(number)
        (number, shift) = (0, 0)
      }
    }
    guard shift == 0 else { return nil }
    return .changeToken(incarnation: Array(bytes[1..<headBytes]), numbers: numbers)
  }

  /// The inspection as JSON.
  var json: JSONValue {
    switch kind {
    case .changeToken(let incarnation, let numbers):
      .object([
        "kind": .string("changeToken"), "version": .integer(Self.version),
        "incarnation": .string(incarnation.hexadecimal),
        "numbers": .array(numbers.map { .integer($0) }), "bytes": .integer(bytesCount),
      ])
    case .watchState(let owner, let token):
      .object([
        "kind": .string("watchState"), "owner": .string(owner),
        "changeToken": .string(Base64.encode(token)), "bytes": .integer(bytesCount),
      ])
    case .unknown: .object(["kind": .string("unknown"), "bytes": .integer(bytesCount)])
    }
  }

  /// The store that issued the token.
  var incarnation: String? {
    switch kind {
    case .changeToken(let incarnation, _): incarnation.hexadecimal
    case .watchState(_, let token): TokenInspection(token).incarnation
    case .unknown: nil
    }
  }
}
