/// A record of a share, or one that is no longer in it.
struct SharedRow: Hashable {
  /// The number of the share.
  let share: Int64
  /// The zone's number at which it was changed, came or left.
  let changed: Int64
  /// Its name.
  let name: String
  /// Its type.
  let recordType: String
  /// It left or was deleted.
  let isGone: Bool
}

extension SharedRow: Comparable {
  /// Oldest change first; within a number by name, as each share has them.
  static func < (a: Self, b: Self) -> Bool {
    (a.changed, a.name, a.share) < (b.changed, b.name, b.share)
  }
}

extension SharedRow {
  /// Whether a record that left this share is to be reported as deleted, to a client who knows other
  /// shares too.
  ///
  /// A record that moved into another of them is reported there; one that is gone from several,
  /// by the last that the client still has to read.
  ///
  /// - Parameters:
  ///   - other: What another share has of the record.
  ///   - position: Where the client stands in that share.
  /// - Returns: `false` when the other share reports it.
  func isReported(beside other: SharedRow, _ position: SharedPosition) -> Bool {
    guard other.isGone else { return false }
    guard position.isAhead(other.changed) else { return true }
    return (other.changed, other.share) < (changed, share)
  }
}
