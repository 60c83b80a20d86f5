internal import Synchronization
public import TidingsProto
public import TidingsRPC

/// Why a lease could not be settled.
public enum LeaseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It ended before it was settled, and another device has the notification, or had it and is done.
  case lost(String)
  /// The call failed, again and again as long as the lease would have lasted.
  case call(RPCError)

  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .lost(let message): message
    case .call(let error): error.description
    }
  }
}

/// A notification that this device works on, and no other of its group.
///
/// The lease is extended until it is settled, or until the last reference to it goes: then, as after a
/// crash, it ends by itself and another device gets the notification.
public final class NotificationLease: Sendable {
  private enum Phase {
    case held
    case settling
    case settled
    case lost(String)
  }

  private struct State {
    var phase = Phase.held
    var onLoss: (@Sendable () -> Void)?
  }

  /// The notification.
  public let notification: TidingsV1.Notification
  /// How often the notification was handed out to the group, this time included.
  public let deliveryCount: Int
  /// This device made the change itself.
  public let isOwnChange: Bool

  let leaseID: String
  private let keeper: LeaseKeeper
  private let state = Mutex(State())

  init(_ lease: TidingsV1.LeasedNotification, _ keeper: LeaseKeeper) {
    notification = lease.notification ?? .init()
    deliveryCount = Int(lease.deliveryCount)
    isOwnChange = lease.isOwnChange
    leaseID = lease.leaseID
    self.keeper = keeper
  }

  deinit { keeper.forget(leaseID) }

  /// Another device has the notification now: what is done here is done twice.
  public var isLost: Bool {
    state.withLock { if case .lost = $0.phase { true } else { false } }
  }

  /// The work is done: no device of the group gets the notification again.
  ///
  /// Tries again while the server cannot be reached, for as long as a lease lasts. Done twice is done.
  ///
  /// - Parameter marksRead: Marks the notification read too, for all devices of the user.
  /// - Throws: `LeaseError.lost` when another device has the notification, or had it and is done.
  public func done(marksRead: Bool = false) async throws(LeaseError) {
    try begin()
    let end = ContinuousClock.now + keeper.timeout
    var backoff = Backoff()
    while true {
      do {
        let errors = try await keeper.settle([leaseID], as: .done, marksRead: marksRead)
        return try finish(errors)
      } catch let error as LeaseError {
        throw error
      } catch let error as RPCError {
        guard error.isWorthRepeating, .now < end, !Task.isCancelled else {
          state.withLock { $0.phase = .held }
          throw .call(error)
        }
        try? await Task.sleep(for: backoff.next())
      } catch {
        throw .call(RPCError(.unknown, "\(error)", cause: error))
      }
    }
  }

  /// The work is given back: another device, or this one, gets the notification again at once.
  ///
  /// If the server cannot be reached, the lease ends by itself.
  ///
  /// - Parameter delay: Not at once but after this time, 1 second to 12 hours.
  /// - Throws: `LeaseError.lost` when another device has the notification already.
  public func release(after delay: Duration? = nil) async throws(LeaseError) {
    try begin()
    // From here on it is not extended, whatever becomes of the call.
    keeper.forget(leaseID)
    let errors: [TidingsV1.ItemError?]
    do {
      errors = try await keeper.settle(
        [leaseID],
        as: delay == nil ? .released : .extended,
        for: delay
      )
    } catch {
      throw .call(error)
    }
    try finish(errors)
  }

  /// Calls a closure once if the lease is lost; at once if it is already.
  func onLoss(_ body: @escaping @Sendable () -> Void) {
    let isLost = state.withLock { state in
      if case .lost = state.phase { return true }
      state.onLoss = body
      return false
    }
    if isLost { body() }
  }

  /// The server says that the lease is over.
  ///
  /// - Returns: `false` when it is being settled, which reports the result.
  func lose(_ message: String) -> Bool {
    let (isOver, onLoss): (Bool, (@Sendable () -> Void)?) = state.withLock { state in
      switch state.phase {
      case .held:
        state.phase = .lost(message)
        return (true, state.onLoss.take())
      case .settling: return (false, nil)
      case .settled, .lost: return (true, nil)
      }
    }
    onLoss?()
    return isOver
  }

  private func begin() throws(LeaseError) {
    let loss: String? = state.withLock { state in
      if case .lost(let message) = state.phase { return message }
      state.phase = .settling
      return nil
    }
    if let loss { throw .lost(loss) }
  }

  private func finish(_ errors: [TidingsV1.ItemError?]) throws(LeaseError) {
    keeper.forget(leaseID)
    let error = errors.first ?? nil
    state.withLock { $0.phase = error.map { .lost($0.message) } ?? .settled }
    if let error { throw .lost(error.message) }
  }
}
