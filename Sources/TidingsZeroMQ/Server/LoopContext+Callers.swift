internal import TidingsProtobuf
internal import TidingsRPC

extension LoopContext {
  /// The bounds of users have changed: ask for them again.
  ///
  /// - Parameter boundsRates: Any user may have a bound on calls in a second.
  public func callerBoundsChanged(boundsRates: Bool) {
    callerBounds.boundsRates = boundsRates
    callerBounds.forgetBounds()
  }

  /// Whose turn a call takes.
  ///
  /// - Parameters:
  ///   - header: The call's.
  ///   - user: Who calls, where callers prove it; empty: a guest.
  ///   - keyNumber: The caller's key.
  /// - Returns: The same for all calls of a user, and for all of a guest's key.
  static func callerKey(
    _ header: RequestHeaderView,
    user: String?,
    keyNumber: Int64?
  ) -> CallerKey {
    if let user, !user.isEmpty { return CallerKey(user: user) }
    if let keyNumber { return CallerKey(guestKey: keyNumber) }
    return header.user.map { CallerKey(user: $0) } ?? .nobody
  }

  /// Why a caller may not make a call now, if so.
  func refusalByBounds(
    _ header: RequestHeaderView,
    on connection: Connection,
    user: String?,
    keyNumber: Int64?
  ) -> RPCError? {
    // Nearly all calls: no look at the caller, and none at the delegate.
    if connection.isCounted, !callerBounds.boundsRates { return nil }
    guard let delegate else { return nil }
    func name() -> String {
      user ?? header.user.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
    let caller = Self.callerKey(header, user: user, keyNumber: keyNumber)
    let bounds =
      callerBounds.bounds(of: caller)
      ?? callerBounds.remember(delegate.bounds(of: name()), of: caller)
    switch callerBounds.judge(on: connection, now: now, caller, bounds) {
    case .admitted: return nil
    case .tooEarly(let perSecond, let retryAfter):
      return delegate.refusal(
        of: name(),
        keyNumber: keyNumber,
        callsPerSecondMax: perSecond,
        retryAfter: retryAfter
      )
    case .tooManyConnections(let countMax): return .tooManyConnections(countMax)
    }
  }

  /// Why a gateway may not have a further connection, if so: its callers' calls count as theirs, and the connection as
  /// the gateway's.
  func refusalByCount(
    of connection: Connection,
    of gateway: String,
    _ keyNumber: Int64?
  ) -> RPCError? {
    guard !connection.isCounted, let delegate else { return nil }
    let caller =
      gateway.isEmpty
      ? keyNumber.map { CallerKey(guestKey: $0) } ?? .nobody : CallerKey(user: gateway)
    let bounds =
      callerBounds.bounds(of: caller)
      ?? callerBounds.remember(delegate.bounds(of: gateway), of: caller)
    return callerBounds.counts(connection, caller, bounds)
      ? nil : .tooManyConnections(bounds.connectionsMax)
  }
}

extension RPCError {
  fileprivate static func tooManyConnections(_ countMax: Int) -> RPCError {
    RPCError(
      .resourceExhausted,
      "you have \(countMax) connections already, which is the limit: share connections, or close "
        + "some",
      details: [.retryInfo(after: .seconds(10))]
    )
  }
}
