internal import TidingsWire

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
    var message = WireWriter()
    message.add(Field.reason, reason.utf8)
    message.add(Field.domain, domain.utf8)
    return Self(typeURL: "type.googleapis.com/tidings.rpc.v1.ErrorInfo", value: message.bytes)
  }

  /// When a repetition may succeed: `tidings.rpc.v1.RetryInfo`.
  public static func retryInfo(after delay: Duration) -> Self {
    var duration = WireWriter()
    let (seconds, attoseconds) = delay.components
    for (field, count) in [(Field.seconds, seconds), (Field.nanos, attoseconds / 1_000_000_000)]
    where count != 0 {
      duration.add(field, varint: UInt64(bitPattern: count))
    }
    var message = WireWriter()
    message.add(Field.retryDelay, duration.bytes)
    return Self(typeURL: "type.googleapis.com/tidings.rpc.v1.RetryInfo", value: message.bytes)
  }

  /// Fields of these messages; a test compares them with the generated ones, which stand one floor above.
  private enum Field {
    static let reason = 1
    static let domain = 2
    static let retryDelay = 1
    static let seconds = 1
    static let nanos = 2
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

  /// The server takes no new calls for now, and did not begin this one: another may.
  package var isDraining: Bool {
    code == .unavailable
      && [Self.drainingReason, Self.noLeaderReason].contains { reason in
        details.contains(.errorInfo(reason: reason))
      }
  }

  /// The reason of calls that a server refuses while it drains.
  package static let drainingReason = "DRAINING"
  /// The reason of calls that a node refuses while it knows no node that leads.
  package static let noLeaderReason = "NO_LEADER"

  /// The reason of calls of which nobody knows whether they took effect.
  package static let unknownOutcomeReason = "OUTCOME_UNKNOWN"

  /// Whether the call took effect is not known.
  package var hasUnknownOutcome: Bool {
    details.contains(.errorInfo(reason: Self.unknownOutcomeReason))
  }

  /// The reason of requests and answers that are larger than a frame may be.
  package static let frameTooLargeReason = "FRAME_TOO_LARGE"

  /// A request or an answer is larger than a frame may be.
  package var isOfTooLargeFrame: Bool {
    details.contains(.errorInfo(reason: Self.frameTooLargeReason))
  }

  /// This error of the last attempt to make a call, when the outcome of an earlier one is unknown.
  package var afterUnknownOutcome: RPCError {
    if hasUnknownOutcome { return self }
    var error = self
    error.message += "; whether an earlier attempt took effect is unknown"
    // Its own reason says what became of the last attempt only.
    error.details.removeAll { $0.typeURL.hasSuffix("/tidings.rpc.v1.ErrorInfo") }
    error.details.append(.errorInfo(reason: Self.unknownOutcomeReason))
    return error
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

  /// A client uses the name of a call for another one before it is answered.
  package static func callIDInUse(_ id: UInt64) -> Self {
    Self(.invalidArgument, "the call id \(id) is in use")
  }

  /// Returns what a caller gets for an error that a handler threw.
  ///
  /// Errors other than `RPCError` are named by their type only: their text may hold what is not
  /// the caller's to see.
  package static func thrown(_ error: any Error) -> Self {
    switch error {
    case let error as Self where error.code == .ok:
      Self(.internal, "the handler failed with the code OK: \(error.message)", cause: error.cause)
    case let error as Self: error
    case is CancellationError: Self(.cancelled, "the call was cancelled")
    default: Self(.unknown, "the handler failed with \(type(of: error))", cause: error)
    }
  }
}

extension Duration {
  /// Reads what `RPCError.Detail.retryInfo` writes.
  fileprivate init?(retryInfo bytes: [UInt8]) {
    var outer = WireReader(bytes[...])
    guard let delay = outer.nextDelimited(), delay.field == 1 else { return nil }
    var inner = WireReader(delay.content)
    var (seconds, nanoseconds): (Int64, Int64) = (0, 0)
    do {
      while let (field, value) = try inner.next() {
        guard case .varint(let count) = value else { return nil }
        switch field {
        case 1: seconds = Int64(bitPattern: count)
        case 2: nanoseconds = Int64(bitPattern: count)
        default: return nil
        }
      }
    } catch {
      return nil
    }
    // A day is as good as never.
    guard (0...86_400).contains(seconds), (0..<1_000_000_000).contains(nanoseconds) else {
      return nil
    }
    self = .seconds(seconds) + .nanoseconds(nanoseconds)
  }
}
