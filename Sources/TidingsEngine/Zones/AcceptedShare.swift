internal import TidingsModel

/// A share that a user has accepted and may read.
struct AcceptedShare: Hashable {
  let share: StoredShare
  /// What the user may do: `readOnly` or `readWrite`.
  let permission: Share.Permission
  /// The user changes the share for its owner.
  let isAdministrator: Bool
  /// The zone's number when it was accepted.
  let joined: Int64
}
