internal import TidingsEngine
internal import TidingsKeys
internal import TidingsModel
internal import TidingsRPC
internal import TidingsZeroMQ

extension Core {
  /// Notifies the loop that quotas may have changed.
  func quotasChanged(on loop: LoopContext) {
    let boundsRates =
      engine.limits.callsPerSecondPerUserMax > 0 || (try? engine.hasQuotasOfRates) ?? true
    loop.callerBoundsChanged(boundsRates: boundsRates)
  }

  func bounds(of user: String) -> CallerBounds {
    // If the quota cannot be read, the default applies.
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
      "limit of \(callsPerSecondMax) calls per second exceeded: retry after the delay in retry_after, or "
        + "ask an administrator for a larger quota",
      retryAfter: retryAfter
    )
    // The key is only looked up if the call does not name the user, to avoid a statement per rejection.
    let key = user.isEmpty ? keyNumber.flatMap { try? engine.holder(ofKey: $0) } : nil
    audit.addRefusal(
      AuditEntry(
        "rate",
        user: user,
        publicKey: key?.keyText ?? "",
        isRefused: true,
        detail: error.message
      )
    )
    return RPCError(callFailure: error)
  }
}
