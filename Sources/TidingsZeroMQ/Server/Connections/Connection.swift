internal import TidingsRPC

/// All that the loop keeps of an open connection.
///
/// It is found once for a message and once for its answer, and handed on: no part of the way looks into a table of
/// its own.
///
/// Unchecked: plain values, on the loop's thread.
final class Connection {
  let slot: ConnectionSlot
  /// The connection's number is higher.
  let floor: UInt64
  /// When it was accepted.
  let since: ContinuousClock.Instant
  /// `nil`: it has sent nothing.
  @exclusivity(unchecked) var number: ConnectionNumber?
  /// It made a call that was begun, or subscribed to something.
  @exclusivity(unchecked) var isInUse = false
  /// Topics that it asked for.
  var topics = 0
  /// Whose key it has, if it subscribed to something.
  var subscriber: Int64?
  /// Where the clients of the node behind it get pushes; `nil`: here.
  var advertisedPushEndpoint: String?
  /// Who made its first call.
  @exclusivity(unchecked) var caller: ConnectionCaller?
  /// It is one of the connections that its caller may have.
  @exclusivity(unchecked) var isCounted = false
  /// Its inline calls that are begun and not answered.
  @exclusivity(unchecked) var inlineOpen = 0
  /// It was asked to end.
  @exclusivity(unchecked) var isAskedToEnd = false
  /// What is held for it; `nil`: nothing was sent to it yet.
  @exclusivity(unchecked) var answers: UnreadAnswers.Account?

  init(_ slot: ConnectionSlot, floor: UInt64, since: ContinuousClock.Instant) {
    (self.slot, self.floor, self.since) = (slot, floor, since)
  }

  /// It is being ended: nothing more is sent to it, and nothing of it is handled.
  var isEnding: Bool { answers?.isEnding == true }

  /// The number of the key that it has; `nil`: it has none.
  var keyNumber: Int64? { caller?.keyNumber ?? subscriber }
}
