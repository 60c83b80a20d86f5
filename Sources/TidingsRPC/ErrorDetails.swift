extension RPCError.Detail {
  /// A stable, machine-readable reason: `tidings.rpc.v1.ErrorInfo`.
  ///
  /// Encoded by hand because generated messages stand one floor above this one.
  ///
  /// - Parameters:
  ///   - reason: UPPER_SNAKE_CASE, stable within the domain.
  ///   - domain: Who defines the reason.
  /// - Returns: The detail.
  public static func errorInfo(reason: String, domain: String = "tidings.rpc") -> Self {
    var value: [UInt8] = []
    for (number, text) in [(1, reason), (2, domain)] as [(UInt8, String)] {
      value.append(number << 3 | 2)
      value.appendVarint(UInt64(text.utf8.count))
      value.append(contentsOf: text.utf8)
    }
    return Self(typeURL: "type.googleapis.com/tidings.rpc.v1.ErrorInfo", value: value)
  }

  /// When a repetition may succeed: `tidings.rpc.v1.RetryInfo`.
  public static func retryInfo(after delay: Duration) -> Self {
    var duration: [UInt8] = []
    let (seconds, attoseconds) = delay.components
    for (number, count) in [(1, seconds), (2, attoseconds / 1_000_000_000)] as [(UInt8, Int64)]
    where count != 0 {
      duration.append(number << 3)
      duration.appendVarint(UInt64(bitPattern: count))
    }
    var value: [UInt8] = [1 << 3 | 2]
    value.appendVarint(UInt64(duration.count))
    return Self(
      typeURL: "type.googleapis.com/tidings.rpc.v1.RetryInfo",
      value: value + duration
    )
  }
}

extension RPCError {
  /// The server does not have the method, though it has the service.
  package static func unimplemented(method: String) -> Self {
    Self(
      .unimplemented,
      "the server does not have the method \(method)",
      details: [.errorInfo(reason: "METHOD_NOT_FOUND")]
    )
  }

  /// The server does not have the service.
  package static func unimplemented(service: String) -> Self {
    Self(
      .unimplemented,
      "the server does not have the service \(service)",
      details: [.errorInfo(reason: "SERVICE_NOT_FOUND")]
    )
  }

  /// The deadline passed.
  package static let deadlinePassed = Self(.deadlineExceeded, "the deadline passed")
  /// The client gave the call up.
  package static let cancelledByClient = Self(.cancelled, "the client cancelled the call")

  /// Returns what a caller is told about an error that a handler threw.
  ///
  /// Errors other than `RPCError` are named by their type only: their text may hold what is not
  /// the caller's to see.
  package static func thrown(_ error: any Error) -> Self {
    switch error {
    case let error as Self where error.code == .ok:
      Self(.internal, "the handler failed with the code OK: \(error.message)")
    case let error as Self: error
    case is CancellationError: Self(.cancelled, "the call was cancelled")
    default: Self(.unknown, "the handler failed with \(type(of: error))")
    }
  }
}

extension [UInt8] {
  /// Appends a protobuf varint.
  fileprivate mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}
