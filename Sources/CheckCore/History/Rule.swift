/// Which changes a subscription of a run fires for.
///
/// The predicate compares the last two digits of a record's value, its `n`.
package struct Rule: Hashable, Sendable {
  /// The smallest `n` that matches.
  package var from: Int64
  /// The smallest `n` above that does not match.
  package var below: Int64
  /// The reasons that the subscription requests, as in `Notice.reason`.
  package var reasons: [String]

  package init(_ range: Range<Int64>, _ reasons: [String]) {
    from = range.lowerBound
    below = range.upperBound
    self.reasons = reasons
  }

  /// The number that predicates compare.
  package static func number(_ value: Int64) -> Int64 { value % 100 }

  /// Whether a record with this value matches; `nil`: there is none.
  package func matches(_ value: Int64?) -> Bool {
    guard let value else { return false }
    return (from..<below).contains(Self.number(value))
  }

  /// The reason for which a change fires; `nil`: it does not.
  ///
  /// The first of the documented table that applies and that is requested.
  package func reason(from before: Int64?, to after: Int64?) -> String? {
    let (matched, matches) = (matches(before), matches(after))
    let applies: [(String, Bool)] = [
      ("created", before == nil && matches),
      ("deleted", after == nil && matched),
      ("entered", matches && !matched),
      ("left", matched && !matches),
      ("updated", before != nil && matches),
    ]
    return applies.first { $0.1 && reasons.contains($0.0) }?.0
  }
}
