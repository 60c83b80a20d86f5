internal import TidingsRPC

/// What happens when the last call of a server that drains has ended.
struct DrainEnd {
  /// Called once; `nil`: nothing.
  var action: (() -> Void)?
  /// Called then in any case; `nil`: never.
  var deadline: ContinuousClock.Instant?
}

extension LoopContext {
  /// Refuses new calls, but those of `servicesWhileDraining`, and lets those that run end.
  ///
  /// - Parameters:
  ///   - patience: After this, `done` is called though calls run still; `nil`: it waits for them.
  ///   - done: Called once, on this thread, when no call runs any more; `nil`: nothing happens then.
  public func drain(patience: Duration? = nil, _ done: (() -> Void)? = nil) {
    isDraining = true
    drainEnd = DrainEnd(
      action: done,
      deadline: done == nil ? nil : patience.map { now.advanced(by: $0) }
    )
  }

  /// Takes calls again.
  public func resume() {
    isDraining = false
    drainEnd = DrainEnd()
  }

  /// How many calls are not answered yet.
  ///
  /// - Parameter own: Inline calls that do not count, such as the one that asks.
  /// - Returns: The number.
  public func openCallCount(except own: Int = 0) -> Int {
    running.values.count(where: \.isAwaited) + inlineOpen + waiting.count
      + (forwarding?.count ?? 0) - own
  }

  /// Looks whether the last call has ended, at the end of a turn.
  func settleDraining() {
    guard let action = drainEnd.action else { return }
    let isOver = drainEnd.deadline.map { $0 <= .now } ?? false
    let hasCalls = openCallCount(except: delegate?.idleCallCount ?? 0) > 0
    guard isOver || (!hasCalls && backlog.isEmpty) else { return }
    drainEnd = DrainEnd()
    action()
  }
}

extension RPCError {
  /// The server takes no new calls.
  static let draining = RPCError(
    .unavailable,
    "the server takes no new calls for now (an administrator drains it): try again later",
    details: [.errorInfo(reason: RPCError.drainingReason), .retryInfo(after: .seconds(1))]
  )

  /// The server ends; the call was not begun.
  static let stopping = RPCError(
    .unavailable,
    "the server is stopping",
    details: [.errorInfo(reason: drainingReason), .retryInfo(after: .milliseconds(200))]
  )
}
