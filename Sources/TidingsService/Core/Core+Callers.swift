internal import TidingsEngine
internal import TidingsKeys
internal import TidingsModel
internal import TidingsRPC
internal import TidingsZeroMQ

extension Core {
  /// Tells the loop that quotas may have changed.
  func quotasChanged(on loop: LoopContext) {
    let boundsRates =
      engine.limits.callsPerSecondPerUserMax > 0 || (try? engine.hasQuotasOfRates) ?? true
    loop.callerBoundsChanged(boundsRates: boundsRates)
  }

  func bounds(of user: String) -> CallerBounds {
    // What cannot be read now does not keep callers out.
    let quota = (try? engine.quota(of: user)) ?? engine.limits.userQuota
    return CallerBounds(
      callsPerSecondMax: Int(clamping: quota.callsPerSecondMax),
      connectionsMax: user.isEmpty ? 0 : Int(clamping: quota.connectionsMax)
    )
  }

  func refusal(
    of user: String,
    keyNumber: Int64?,
    callsPerSecondMax: Int,
    retryAfter: Duration
  ) -> RPCError {
    let error = ItemError(
      .requestRateLimited,
      "you make more than \(callsPerSecondMax) calls in a second: wait as long as retry_after says, "
        + "or ask an administrator for a larger quota",
      retryAfter: retryAfter
    )
    // A refusal costs no statement where the name tells who it is.
    let key = user.isEmpty ? keyNumber.flatMap { try? engine.holder(ofKey: $0) } : nil
    audit.addRefusal(
      AuditEntry(
        "rate",
        user: user,
        publicKey: key?.publicKey.description ?? "",
        isRefused: true,
        detail: error.message
      )
    )
    return RPCError(callFailure: error)
  }
}
