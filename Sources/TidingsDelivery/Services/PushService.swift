package import TidingsProto

/// A service that takes notifications for others.
package protocol PushService: Sendable {
  /// Makes the request for a delivery.
  ///
  /// - Throws: `Refusal` when there is none.
  func request(
    for delivery: Outgoing,
    to address: TidingsV1.DeliveryAddress
  ) async throws -> TransferRequest

  /// What the answer to a request means.
  func verdict(
    on answer: TransferAnswer,
    to request: TransferRequest,
    of delivery: Outgoing
  ) async -> Verdict
}

/// There is no request for a delivery.
package struct Refusal: Error {
  package let verdict: Verdict

  static func givenUp(_ reason: String) -> Self { Self(verdict: .givenUp(reason)) }
  static func retry(_ reason: String) -> Self { Self(verdict: .retry(reason, after: nil)) }
}

extension TransferAnswer {
  /// The status with the beginning of the body, as one line.
  var described: String {
    let text = String(decoding: body.prefix(200), as: UTF8.self)
      .filter { !$0.isNewline && $0 >= " " }
    return text.isEmpty ? "status \(status)" : "status \(status): \(text)"
  }

  /// Another attempt, when the service asks for one or can make it right.
  func retry() -> Verdict { .retry(described, after: retryAfter(now: UnixTime.now)) }
}
