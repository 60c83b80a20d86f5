package import TidingsJSON
package import TidingsProto
internal import TidingsProtobuf
package import TidingsRPC

/// Why a request, or one item of it, failed: what CloudKit Web Services' clients know.
package struct WebFailure: Error, Hashable {
  /// The fourteen codes: typed clients know no other.
  package enum Code: String, CaseIterable, Sendable {
    case accessDenied = "ACCESS_DENIED"
    case atomicError = "ATOMIC_ERROR"
    case authenticationFailed = "AUTHENTICATION_FAILED"
    case authenticationRequired = "AUTHENTICATION_REQUIRED"
    case badRequest = "BAD_REQUEST"
    case conflict = "CONFLICT"
    case exists = "EXISTS"
    case internalError = "INTERNAL_ERROR"
    case notFound = "NOT_FOUND"
    case quotaExceeded = "QUOTA_EXCEEDED"
    case throttled = "THROTTLED"
    case tryAgainLater = "TRY_AGAIN_LATER"
    case validatingReferenceError = "VALIDATING_REFERENCE_ERROR"
    case zoneNotFound = "ZONE_NOT_FOUND"

    /// The HTTP status of a request that fails as a whole.
    package var status: Int {
      switch self {
      case .accessDenied: 403
      case .atomicError, .badRequest: 400
      case .authenticationFailed: 401
      case .authenticationRequired: 421
      case .conflict, .exists: 409
      case .internalError: 500
      case .notFound, .zoneNotFound: 404
      case .quotaExceeded: 413
      case .throttled: 429
      case .tryAgainLater: 503
      case .validatingReferenceError: 412
      }
    }
  }

  package var code: Code
  /// What is wrong, where, and what to do.
  package var reason: String
  /// In seconds; `nil`: a repetition does not help.
  package var retryAfter: Int?
  /// Where a user signs in.
  package var redirectURL: String?
  /// The server's code, of which several have one of the fourteen; for example `CHANGE_TOKEN_EXPIRED`.
  package var detail: String?
  /// The request is refused as a whole, whichever record of it this is about.
  package var isOfRequest = false

  package init(_ code: Code, _ reason: String, retryAfter: Int? = nil) {
    (self.code, self.reason, self.retryAfter) = (code, reason, retryAfter)
  }

  /// The request is wrong.
  package static func badRequest(_ reason: String) -> Self { Self(.badRequest, reason) }

  /// The request promises something that is not done, so that nothing of it is done.
  package static func badForm(_ reason: String) -> Self {
    var failure = badRequest(reason)
    failure.isOfRequest = true
    return failure
  }
}

// MARK: From the server's errors

extension WebFailure {
  /// What the server says of an item.
  package init(_ error: TidingsV1.ItemError) {
    let code = Code(error.code)
    self.init(code, error.message, retryAfter: error.retryAfter?.wholeSeconds)
    if retryAfter == nil, code == .throttled || code == .tryAgainLater { retryAfter = 1 }
    let name = error.code.description
    if name.hasPrefix("ERROR_CODE_") { detail = String(name.dropFirst("ERROR_CODE_".count)) }
  }

  /// Why a call failed.
  package init(_ error: RPCError) {
    let detail = error.details.first { $0.typeURL.hasSuffix("/" + TidingsV1.ItemError.messageName) }
    if let detail, let item = try? TidingsV1.ItemError(decoding: detail.value) {
      self.init(item)
      return
    }
    let code = Code(error.code)
    self.init(code, error.message)
    if code == .throttled || code == .tryAgainLater {
      retryAfter = error.retryAfter.map { max(1, Int($0.components.seconds)) } ?? 1
    }
  }

  /// Any error of an endpoint.
  package init(describing error: any Error) {
    switch error {
    case let failure as WebFailure: self = failure
    case let error as RPCError: self.init(error)
    default: self.init(.internalError, "a defect of the gateway: \(type(of: error))")
    }
  }
}

extension WebFailure.Code {
  fileprivate init(_ code: TidingsV1.ErrorCode) {
    self =
      switch code {
      case .notAuthenticated: .authenticationRequired
      case .permissionFailure, .managedAccountRestricted, .missingEntitlement,
        .participantMayNeedVerification:
        .accessDenied
      case .invalidArguments, .badContainer, .badDatabase, .limitExceeded, .changeTokenExpired,
        .assetNotAvailable, .incompatibleVersion, .tooManyParticipants:
        .badRequest
      case .unknownItem: .notFound
      case .zoneNotFound, .userDeletedZone: .zoneNotFound
      case .serverRecordChanged: .conflict
      case .alreadyShared, .serverRejectedRequest, .constraintViolation: .exists
      case .batchRequestFailed: .atomicError
      case .referenceViolation: .validatingReferenceError
      case .quotaExceeded: .quotaExceeded
      case .requestRateLimited: .throttled
      case .zoneBusy, .serviceUnavailable, .serverResponseLost, .networkFailure,
        .networkUnavailable:
        .tryAgainLater
      default: .internalError
      }
  }

  fileprivate init(_ code: StatusCode) {
    self =
      switch code {
      case .invalidArgument, .outOfRange, .failedPrecondition, .unimplemented: .badRequest
      case .notFound: .notFound
      case .alreadyExists: .exists
      case .permissionDenied: .accessDenied
      case .unauthenticated: .authenticationRequired
      case .resourceExhausted: .throttled
      case .unavailable, .deadlineExceeded, .cancelled, .aborted: .tryAgainLater
      default: .internalError
      }
  }
}

extension GoogleProtobuf.Duration {
  /// At least 1.
  fileprivate var wholeSeconds: Int { max(1, Int(clamping: seconds) + (nanos > 0 ? 1 : 0)) }
}

// MARK: As JSON

extension WebFailure {
  /// Members of the answer, behind those that name the item.
  package func append(to object: inout JSONObject, uuid: String) {
    object.append("uuid", .string(uuid))
    object.append("serverErrorCode", .string(code.rawValue))
    object.append("reason", .string(reason))
    if let retryAfter { object.append("retryAfter", .integer(retryAfter)) }
    if let redirectURL { object.append("redirectURL", .string(redirectURL)) }
    if let detail { object.append("tidingsErrorCode", .string(detail)) }
  }

  /// A failed request's answer.
  package func json(uuid: String) -> JSONObject {
    var object = JSONObject()
    append(to: &object, uuid: uuid)
    return object
  }
}
