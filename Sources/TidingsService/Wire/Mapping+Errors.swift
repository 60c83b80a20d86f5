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
    let refusal =
      DiskRefusal(error) ?? DiskRefusal(reason: "the disk of the server cannot be used now")
    self.init(
      .unavailable,
      "\(refusal.reason): \(refusal.advice)",
      details: [.retryInfo(after: refusal.pause)],
      cause: error
    )
  }

  private init(_ error: SQLError) {
    switch error.kind {
    case .busy, .storage, .conflict, .disconnected, .interrupted, .denied:
      let refusal = DiskRefusal(error) ?? DiskRefusal(reason: "the store cannot be used now")
      self.init(
        .unavailable,
        "\(refusal.reason); nothing was changed: \(refusal.advice)",
        details: [.retryInfo(after: refusal.pause)],
        cause: error
      )
    case .uncertain:
      let reason = DiskRefusal(error)?.reason ?? "the server's store failed"
      self.init(
        .unavailable,
        "\(reason), while the call was committed; whether it took effect is unknown",
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

/// What the system says when it refuses to read or write, for callers: what and where, without paths, and what to do.
private struct DiskRefusal {
  let reason: String
  var advice = "try again later"
  var pause = Duration.seconds(1)

  static let full = Self(reason: "the disk of the server is full", pause: .seconds(10))
}

extension DiskRefusal {
  /// `nil`: there is nothing more to say than that it does not work.
  init?(_ error: FileError) {
    if error.isFull {
      self = .full
    } else if error.isReadOnly {
      self.init(
        reason: "the disk of the server is read-only",
        advice: "try again when its operator has made it writable",
        pause: .seconds(10)
      )
    } else if error.isOfDevice {
      self.init(
        reason: "the disk of the server failed (input/output error)",
        advice: "try again later, and inform its operator if that lasts"
      )
    } else if error.isOfOpenFiles {
      self.init(reason: "the server has too many files open")
    } else {
      return nil
    }
  }

  init?(_ error: SQLError) {
    if error.isFull {
      self = .full
    } else if let code = error.systemCode {
      self.init(FileError("use", "the database", code: code))
    } else {
      return nil
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
