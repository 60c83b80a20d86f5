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
  /// How long the server asks to wait before the call is sent again; `nil`: it does not say.
  ///
  /// Any `RetryInfo` among the details says it; one that cannot be read says nothing.
  public var retryAfter: Duration? {
    details.lazy.filter { $0.typeURL.hasSuffix("/tidings.rpc.v1.RetryInfo") }
      .compactMap { Duration(retryInfo: $0.value) }.first
  }

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

  /// Returns what a caller gets for an error that a handler threw.
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

extension Duration {
  /// Reads what `RPCError.Detail.retryInfo` writes.
  fileprivate init?(retryInfo bytes: [UInt8]) {
    var outer = VarintReader(bytes[...])
    guard outer.next() == 1 << 3 | 2, let count = outer.next(), count <= UInt64(outer.rest.count)
    else { return nil }
    var inner = VarintReader(outer.rest.prefix(Int(count)))
    var (seconds, nanoseconds): (Int64, Int64) = (0, 0)
    while let tag = inner.next() {
      guard let value = inner.next() else { return nil }
      switch tag {
      case 1 << 3: seconds = Int64(bitPattern: value)
      case 2 << 3: nanoseconds = Int64(bitPattern: value)
      default: return nil
      }
    }
    // A day is as good as never.
    guard (0...86_400).contains(seconds), (0..<1_000_000_000).contains(nanoseconds) else {
      return nil
    }
    self = .seconds(seconds) + .nanoseconds(nanoseconds)
  }
}

/// Reads protobuf varints.
private struct VarintReader {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func next() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 64, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      value |= UInt64(byte & 0x7f) << UInt64(shift)
      if byte < 0x80 { return value }
    }
    return nil
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
