/// How often a zone subscription fires: once for each call that changed the zone.
///
/// Its notifications name no record, so they are counted.
struct ZoneNotices: Sendable {
  /// When calls were acknowledged that must have fired, ascending.
  private let requiredEnds: [Int64]
  /// When calls began that may have fired, ascending.
  private let possibleBegins: [Int64]
  private var count = 0

  /// The notices of a subscription that was saved with a call.
  init(_ subscription: Call, _ calls: [Call]) {
    let saves = calls.filter { ($0.kind == .save || $0.kind == .delete) && $0.outcome != .failed }
    requiredEnds = saves.filter { $0.outcome == .ok && $0.begin > subscription.end }
      .map(\.end).sorted()
    possibleBegins = saves.filter { $0.outcome == .unknown || $0.end > subscription.begin }
      .map(\.begin).sorted()
  }

  /// Adds a notice; returns whether there are more than calls that began before a time.
  mutating func add(before time: Int64) -> Bool {
    count += 1
    // The one with this number must have begun.
    return count > possibleBegins.count || possibleBegins[count - 1] >= time
  }

  /// Whether there are fewer than calls that were acknowledged before a time.
  func lacks(before time: Int64) -> Bool {
    count < requiredEnds.count && requiredEnds[count] < time
  }
}
