/// Why bytes are not a message.
public struct MessageDecodingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure.
  public enum Reason: Hashable, Sendable {
    /// The bytes are not protobuf, or end too early.
    case malformed
    /// A string is not UTF-8.
    case invalidUTF8
    /// Messages are nested more than `MessageDecodingError.nestingMax` deep.
    case nestedTooDeeply
    /// The message needs more memory than the arena may hand out.
    case arenaExhausted
  }

  /// The deepest nesting that is decoded, the outermost message counted as 1.
  public static let nestingMax = 64

  /// What is wrong.
  public let reason: Reason
  /// The full name of the message, or of the field where one is known:
  /// `tidings.v1.Record.record_type`.
  public let name: String

  /// A failure in a message or field.
  public init(_ reason: Reason, in name: String) {
    self.reason = reason
    self.name = name
  }

  /// What is wrong and where; holds nothing of the message's content.
  public var description: String {
    switch reason {
    case .malformed: "malformed bytes for \(name)"
    case .invalidUTF8: "invalid UTF-8 in \(name)"
    case .nestedTooDeeply: "\(name) is nested more than \(Self.nestingMax) messages deep"
    case .arenaExhausted: "\(name) needs more memory than its arena may hand out"
    }
  }
}
