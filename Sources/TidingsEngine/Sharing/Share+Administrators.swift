internal import TidingsModel

/// What the owner alone decides of a share that administrators may change.
extension Share {
  /// Refuses what a list says of an administrator and cannot be.
  static func check(administrator: Participant, named name: String) throws(ItemError) {
    guard administrator.permission != .readWrite else { return }
    throw ItemError(
      .invalidArguments,
      "share '\(name)': \(Identifier.shown(administrator.user)) is an administrator: give the user the "
        + "permission READ_WRITE, or the role PRIVATE_USER"
    )
  }

  /// Refuses a save by an administrator that changes who is one.
  func checkAdministrators(areThoseOf old: Share, named name: String) throws(ItemError) {
    func administrators(_ share: Share) -> Set<Participant> {
      Set(share.participants.filter { $0.role == .administrator })
    }
    guard administrators(self) != administrators(old) else { return }
    throw ItemError(
      .permissionFailure,
      "share '\(name)': only the owner makes, changes and removes administrators: leave them in the list "
        + "as they are; to leave the share yourself, delete it in the shared database"
    )
  }
}
