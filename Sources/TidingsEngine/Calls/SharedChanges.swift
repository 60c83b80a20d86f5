internal import TidingsModel

/// What a call changed for those with whom something is shared: at its end subscriptions of shared databases fire.
struct SharedChanges {
  /// A share of which something changed.
  struct Moved {
    let share: Int64
    let zone: ZoneEntry
    /// The types of the records that changed, came or left; none: they look as before.
    var recordTypes: Set<String>
    /// The types of those of which only administrators see the change.
    var managedTypes: Set<String> = []
  }

  /// A user who may now read what is shared, or no longer.
  struct Membership {
    let user: String
    let zone: ZoneEntry
  }

  /// In the order of the first changes; each share once.
  private(set) var moved: [Moved] = []
  /// In the order of the changes.
  private(set) var memberships: [Membership] = []

  /// Nothing changed for anybody, as in most calls.
  var isEmpty: Bool { moved.isEmpty && memberships.isEmpty }

  /// Something of a share changed.
  ///
  /// - Parameters:
  ///   - share: The share's number.
  ///   - zone: Its zone.
  ///   - recordType: The record's type; `nil`: it looks as before, so that subscriptions do not fire.
  mutating func note(_ share: Int64, in zone: ZoneEntry, recordType: String?) {
    let known = moved.lastIndex { $0.share == share }
    if known == nil { moved.append(Moved(share: share, zone: zone, recordTypes: [])) }
    if let recordType { moved[known ?? moved.count - 1].recordTypes.insert(recordType) }
  }

  /// Something of a share changed that administrators see, and no other participant.
  mutating func noteManaged(_ share: Int64, in zone: ZoneEntry, recordType: String) {
    note(share, in: zone, recordType: nil)
    guard let index = moved.lastIndex(where: { $0.share == share }) else { return }
    moved[index].managedTypes.insert(recordType)
  }

  /// A user came or went.
  mutating func note(_ membership: Membership) { memberships.append(membership) }
}
