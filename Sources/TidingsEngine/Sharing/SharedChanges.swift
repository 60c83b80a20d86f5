internal import TidingsModel

/// What the call at hand changed for those with whom something is shared: gathered while it writes, and
/// taken at its end, when subscriptions of shared databases fire.
final class SharedChanges {
  /// A share of which something changed.
  struct Moved {
    let share: Int64
    let zone: ZoneEntry
    /// The types of the records that changed, came or left.
    var recordTypes: Set<String>
  }

  /// A user who may now read what is shared, or no longer.
  struct Membership {
    let user: String
    let share: Int64
    let zone: ZoneEntry
    let isMember: Bool
  }

  /// In the order of the first changes; each share once.
  private(set) var moved: [Moved] = []
  /// In the order of the changes.
  private(set) var memberships: [Membership] = []

  /// Nothing changed for anybody, as in most calls.
  var isEmpty: Bool { moved.isEmpty && memberships.isEmpty }

  /// Something of a share changed.
  func note(_ share: Int64, in zone: ZoneEntry, recordType: String) {
    if let index = moved.lastIndex(where: { $0.share == share }) {
      moved[index].recordTypes.insert(recordType)
    } else {
      moved.append(Moved(share: share, zone: zone, recordTypes: [recordType]))
    }
  }

  /// A user came or went.
  func note(_ membership: Membership) { memberships.append(membership) }

  /// The call is over.
  func removeAll() {
    guard !isEmpty else { return }
    moved = []
    memberships = []
  }
}
