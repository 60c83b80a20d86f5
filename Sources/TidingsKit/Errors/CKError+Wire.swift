internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

extension CKError {
  /// Why an item failed.
  init(_ error: TidingsV1.ItemError) {
    self.init(
      Code(rawValue: Int(error.code.rawValue)) ?? .internalError,
      error.message,
      retryAfterSeconds: error.retryAfter.map { Double($0.seconds) + Double($0.nanos) / 1e9 }
    )
  }

  /// Why a call failed.
  init(_ error: RPCError) {
    let detail = error.details.first { $0.typeURL.hasSuffix("/" + TidingsV1.ItemError.messageName) }
    if let detail, let item = try? TidingsV1.ItemError(decoding: detail.value) {
      self.init(item)
      return
    }
    let (seconds, attoseconds) = error.retryAfter?.components ?? (0, 0)
    self.init(
      Self.code(error),
      error.description,
      retryAfterSeconds: error.retryAfter.map { _ in Double(seconds) + Double(attoseconds) / 1e18 }
    )
  }

  /// Why anything failed.
  init(wrapping error: any Error) {
    switch error {
    case let error as CKError: self = error
    case let error as RPCError: self.init(error)
    case is CancellationError: self = .cancelled
    default: self.init(.internalError, "\(error)")
    }
  }

  static var cancelled: CKError { CKError(.operationCancelled, "the operation was cancelled") }

  /// Some items failed.
  static func partial(_ errors: [PartialError]) -> CKError? {
    guard !errors.isEmpty else { return nil }
    return CKError(
      .partialFailure,
      "\(errors.count) items failed: \(errors.prefix(3).map(\.error.message).joined(separator: "; "))",
      retryAfterSeconds: errors.compactMap(\.error.retryAfterSeconds).max(),
      partialErrors: errors
    )
  }

  private static func code(_ error: RPCError) -> Code {
    switch error.code {
    case .cancelled: .operationCancelled
    case .invalidArgument, .outOfRange: .invalidArguments
    case .deadlineExceeded, .unavailable: .networkFailure
    case .notFound: .unknownItem
    case .permissionDenied: .permissionFailure
    // What is too large stays so, whenever it comes again.
    case .resourceExhausted: error.retryAfter == nil ? .limitExceeded : .requestRateLimited
    case .unauthenticated: .notAuthenticated
    case .unimplemented: .incompatibleVersion
    case .aborted: .serverResponseLost
    case .alreadyExists, .failedPrecondition: .serverRejectedRequest
    default: .internalError
    }
  }

  /// Trying again may help.
  var isTransient: Bool {
    switch code {
    case .networkUnavailable, .networkFailure, .serviceUnavailable, .requestRateLimited, .zoneBusy:
      true
    default: false
    }
  }
}
