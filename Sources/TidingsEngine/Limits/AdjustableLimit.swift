/// A limit that an operator may set.
public struct AdjustableLimit: Sendable {
  /// What a limit counts.
  public enum Unit: String, Sendable {
    case bytes, calls, connections, containers, days, devices, fields, groups, hours, items, keys,
      members, microseconds, minutes
    case notifications, participants, pushes, records, roles, seconds, sessions, shares,
      subscriptions
    case targets, tokens, types, uploads, users, versions, zones
  }

  /// As it is written on a command line, for example `items-per-call-max`.
  public let name: String
  /// What it counts.
  public let unit: Unit
  /// What it may be set to.
  public let range: ClosedRange<Int>
  /// What it bounds: goes on after the unit.
  public let summary: String
  /// The value in some limits.
  public let value: @Sendable (Limits) -> Int
  private let store: @Sendable (inout Limits, Int) -> Void

  init(
    _ name: String,
    _ unit: Unit,
    _ range: ClosedRange<Int>,
    _ member: any WritableKeyPath<Limits, Int> & Sendable,
    _ summary: String
  ) {
    self.name = name
    self.unit = unit
    self.range = range
    self.summary = summary
    value = { $0[keyPath: member] }
    store = { $0[keyPath: member] = $1 }
  }

  /// Sets the limit.
  ///
  /// - Parameters:
  ///   - limits: Where it is set.
  ///   - number: Within `range`.
  public func set(_ limits: inout Limits, to number: Int) {
    precondition(range.contains(number), "\(name) is \(number), outside \(range)")
    store(&limits, number)
  }
}
