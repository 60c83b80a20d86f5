/// A lease that a worker got, and how long it certainly had it.
struct LeaseRecord: Sendable {
  let notice: Notice
  let call: Call
  /// The lease certainly lasts until then: it expires later, and nobody has begun to end it.
  let earliestEnd: Int64

  /// A lease with the settlements of its notification.
  init(_ notice: Notice, _ call: Call, _ settlements: [Call]) {
    self.notice = notice
    self.call = call
    // It was granted at some time after the call began.
    var expiry = Self.expiry(call)
    var release = Int64.max
    for settlement in settlements where settlement.notices.first?.lease == notice.lease {
      switch (settlement.manner, settlement.outcome) {
      // When the answer was lost with its server, the client asks again, and another worker may have it by then.
      case (Call.released, .failed): release = min(release, settlement.begin)
      case (_, .failed): continue
      case (Call.extended, .ok): expiry = Self.expiry(settlement)
      case (Call.extended, .unknown): expiry = min(expiry, Self.expiry(settlement))
      default: release = min(release, settlement.begin)
      }
    }
    earliestEnd = min(expiry, release)
  }

  /// How much earlier a lease may end: its time begins with the transaction of the call, in whole
  /// milliseconds, and that may have begun before the call arrived.
  private static let toleranceMilliseconds: Int64 = 200

  private static func expiry(_ call: Call) -> Int64 {
    call.begin + (call.milliseconds - toleranceMilliseconds) * 1_000_000
  }
}

extension Call {
  /// The manner of a settlement: the work is done.
  package static let done = "done"
  /// The manner of a settlement: another worker may have it.
  package static let released = "released"
  /// The manner of a settlement: the lease starts again.
  package static let extended = "extended"
}
