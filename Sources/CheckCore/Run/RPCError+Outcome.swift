internal import TidingsRPC

extension RPCError {
  /// The outcome of a call that failed with this error.
  ///
  /// Only errors that exclude any effect are failures: the server refused the call, or no connection
  /// has carried it.
  var outcome: Call.Outcome {
    if hasUnknownOutcome { return .unknown }
    switch code {
    case .unavailable, .resourceExhausted, .invalidArgument, .permissionDenied, .unauthenticated,
      .unimplemented, .notFound, .alreadyExists, .failedPrecondition, .outOfRange, .aborted:
      return .failed
    default: return .unknown
    }
  }

  /// Another attempt may succeed.
  var mayPass: Bool {
    [.unavailable, .deadlineExceeded, .resourceExhausted, .aborted, .unknown].contains(code)
  }
}
