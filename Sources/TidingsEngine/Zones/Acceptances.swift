internal import TidingsModel

/// What users have accepted in a zone, once it was looked up.
///
/// Held by the zone's entry on the loop; a change to the participants of the zone's shares empties it.
struct Acceptances {
  /// One of them: what a user may do with what a share holds.
  struct Acceptance: Hashable {
    /// The share's number in the store.
    let share: Int64
    /// The name of the share's own record.
    let name: String
    /// It shares the whole zone.
    let isZoneWide: Bool
    /// `readOnly` or `readWrite`.
    let permission: Share.Permission
    /// The user changes the share for its owner.
    let isAdministrator: Bool
    /// The zone's number when it was accepted.
    let joined: Int64

    init(_ accepted: AcceptedShare) {
      share = accepted.share.number
      name = accepted.share.name
      isZoneWide = accepted.share.isZoneWide
      permission = accepted.permission
      isAdministrator = accepted.isAdministrator
      joined = accepted.joined
    }
  }

  /// Users of a zone that are remembered; strangers who ask are users too.
  private static let usersMax = 256

  private var byUser: [String: [Acceptance]] = [:]

  /// How many there are, with the users who have accepted nothing.
  var count: Int { byUser.reduce(0) { $0 + 1 + $1.value.count } }

  /// What a user has accepted, oldest share first; empty: nothing.
  subscript(user: String) -> [Acceptance]? { byUser[user] }

  /// Remembers what was looked up.
  mutating func remember(_ accepted: [Acceptance], of user: String) {
    if byUser.count >= Self.usersMax { byUser.removeAll(keepingCapacity: true) }
    byUser[user] = accepted
  }

  /// The participants have changed.
  mutating func forget() { byUser.removeAll() }
}
