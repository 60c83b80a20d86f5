/// A call that failed.
public struct RPCError: Error, Sendable {
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
  /// The error that led to this one, if any: for logs of this process, never sent to a peer.
  public var cause: (any Error)?

  /// A failure with a code, a message, details and a cause.
  public init(
    _ code: StatusCode,
    _ message: String,
    details: [Detail] = [],
    cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.details = details
    self.cause = cause
  }

  /// The same failure as a peer sees it.
  package var withoutCause: Self { Self(code, message, details: details) }
}

extension RPCError: Hashable {
  /// Whether a peer sees the same: causes are not compared.
  public static func == (a: Self, b: Self) -> Bool {
    a.code == b.code && a.message == b.message && a.details == b.details
  }

  /// Hashes what is compared.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(message)
    hasher.combine(details)
  }
}

extension RPCError: CustomStringConvertible, CustomDebugStringConvertible {
  /// The code's name and the message; safe to show anyone.
  public var description: String { message.isEmpty ? "\(code)" : "\(code): \(message)" }

  /// The description and the causes: may name files and statements.
  public var debugDescription: String {
    guard let cause else { return description }
    return "\(description), caused by \(type(of: cause)): \(String(reflecting: cause))"
  }
}
