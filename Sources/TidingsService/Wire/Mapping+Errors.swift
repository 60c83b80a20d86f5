internal import TidingsEngine
internal import TidingsFiles
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsSQL

extension TidingsV1.ItemError {
  /// What an item's result says.
  init(_ error: ItemError) {
    self.init(
      code: .init(rawValue: error.code.rawValue),
      message: error.message,
      retryAfter: error.retryAfter.map { delay in
        let (seconds, attoseconds) = delay.components
        return GoogleProtobuf.Duration(
          seconds: seconds,
          nanos: Int32(attoseconds / 1_000_000_000)
        )
      },
      existingSubscriptionID: error.existingSubscriptionID ?? ""
    )
  }
}

extension RPCError {
  /// What a caller gets when the call as a whole failed; the error is its cause.
  init(callFailure error: any Error) {
    switch error {
    case let error as RPCError: self = error
    case let error as ItemError: self.init(error)
    case let refusal as WebCredentialRefusal:
      self.init(ItemError(refusal))
      details.append(.errorInfo(reason: refusal.kind.reason, domain: "tidings"))
    case let error as MessageDecodingError:
      self.init(
        .invalidArgument,
        "the request message cannot be decoded: \(error)",
        cause: error
      )
    case let error as SQLError: self.init(error)
    case let error as FileError: self.init(error)
    default: self.init(.internal, "a defect of the server: \(type(of: error))", cause: error)
    }
  }

  private init(_ error: ItemError) {
    self.init(
      error.code.status,
      error.message,
      details: [
        Detail(
          typeURL: "type.googleapis.com/" + TidingsV1.ItemError.messageName,
          value: TidingsV1.ItemError(error).encoded()
        )
      ] + (error.retryAfter.map { [.retryInfo(after: $0)] } ?? []),
      cause: error.cause
    )
  }

  private init(_ error: FileError) {
    self.init(
      .unavailable,
      error.isFull
        ? "the disk of the server is full: try again later"
        : "the disk of the server cannot be used now: try again later",
      details: [.retryInfo(after: .seconds(error.isFull ? 10 : 1))],
      cause: error
    )
  }

  private init(_ error: SQLError) {
    switch error.kind {
    case .busy, .storage, .conflict, .disconnected, .interrupted, .denied:
      self.init(
        .unavailable,
        error.isFull
          ? "the disk of the server is full; nothing was changed: try again later"
          : "the store cannot be used now; nothing was changed: try again later",
        details: [.retryInfo(after: .seconds(error.isFull ? 10 : 1))],
        cause: error
      )
    case .uncertain:
      self.init(
        .unavailable,
        "the server's store failed while the call was committed; whether it took effect is unknown",
        details: [.errorInfo(reason: "OUTCOME_UNKNOWN")],
        cause: error
      )
    case .damaged:
      self.init(
        .dataLoss,
        "what the call needs of the store is damaged: an operator has to restore a backup",
        cause: error
      )
    case .statement:
      self.init(.internal, "a defect of the server, in a statement to its store", cause: error)
    }
  }
}

extension ItemError.Code {
  /// The status of a call that fails as a whole for this reason.
  fileprivate var status: StatusCode {
    switch self {
    case .invalidArguments, .badContainer: .invalidArgument
    case .notAuthenticated: .unauthenticated
    case .permissionFailure, .managedAccountRestricted: .permissionDenied
    case .unknownItem, .zoneNotFound, .userDeletedZone: .notFound
    case .serverRecordChanged, .batchRequestFailed: .aborted
    case .changeTokenExpired: .outOfRange
    case .limitExceeded, .quotaExceeded, .requestRateLimited, .tooManyParticipants:
      .resourceExhausted
    case .badDatabase, .serverRejectedRequest, .referenceViolation, .assetNotAvailable,
      .alreadyShared, .participantAlreadyInvited:
      .failedPrecondition
    case .serviceUnavailable, .zoneBusy: .unavailable
    default: .internal
    }
  }
}
