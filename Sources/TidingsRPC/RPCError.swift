/// A call that failed.
public struct RPCError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A message with details for programs, as in `google.protobuf.Any`.
  public struct Detail: Hashable, Sendable {
    /// `type.googleapis.com/` and the full name of the message.
    public var typeURL: String
    /// The encoded message.
    public var value: [UInt8]

    /// A detail from its type and encoded message.
    public init(typeURL: String, value: [UInt8]) {
      self.typeURL = typeURL
      self.value = value
    }
  }

  /// How the call ended; never `ok`.
  public var code: StatusCode
  /// Why, for people.
  public var message: String
  /// Why, for programs.
  public var details: [Detail]

  /// A failure with a code, a message and details.
  public init(_ code: StatusCode, _ message: String, details: [Detail] = []) {
    self.code = code
    self.message = message
    self.details = details
  }

  /// The code's name and the message.
  public var description: String { message.isEmpty ? "\(code)" : "\(code): \(message)" }
}
