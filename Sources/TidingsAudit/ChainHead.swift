internal import TidingsFiles

/// A line of the audit log: its number, and the checksum of all its bytes.
///
/// Each line has the checksum of the line before it, so one head stands for all lines up to it.
public struct ChainHead: Hashable, Sendable, CustomStringConvertible {
  /// Before the first line.
  public static let none = Self(number: 0, hash: [UInt8](repeating: 0, count: hashBytes))
  /// Length of a checksum.
  public static let hashBytes = 32

  /// Number of the line, from 1.
  public let number: UInt64
  /// SHA-256 of the line with its line feed.
  public let hash: [UInt8]

  /// A head.
  public init(number: UInt64, hash: [UInt8]) {
    self.number = number
    self.hash = hash
  }

  /// The head that a line becomes.
  public init(number: UInt64, line: ArraySlice<UInt8>) {
    self.init(number: number, hash: Self.hash(of: line))
  }

  /// A head from its text; `nil` for any other.
  public init?(text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int64(parts[0]), number > 0,
      let hash = [UInt8](hexadecimal: parts[1]), hash.count == Self.hashBytes
    else { return nil }
    self.init(number: UInt64(number), hash: hash)
  }

  /// `NUMBER:HASH`, the checksum in hexadecimal.
  public var description: String { "\(number):\(hash.hexadecimal)" }

  /// The checksum of a line with its line feed.
  public static func hash(of line: ArraySlice<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(line)
    return hash.checksum()
  }
}
