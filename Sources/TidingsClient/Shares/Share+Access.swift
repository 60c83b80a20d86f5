public import TidingsProto

/// How those who manage a share answer requests, and invite with one-time URLs: each changes the share as
/// it was fetched, for `Shares.change`.
extension TidingsV1.Share {
  /// Lets users join, those who asked too; who is in the list gets the permission.
  public mutating func grantAccess(
    to users: [String],
    _ permission: TidingsV1.ParticipantPermission
  ) {
    for user in users {
      if let known = participants.firstIndex(where: { $0.userRecordName == user }) {
        participants[known].permission = permission
      } else {
        participants.append(.init(userRecordName: user, permission: permission))
      }
    }
    denyAccess(to: users)
  }

  /// Answers requests with no: the users may ask again later.
  public mutating func denyAccess(to users: [String]) {
    requesters.removeAll { users.contains($0.userRecordName) }
  }

  /// Keeps users from asking and from joining with the URL; participants are removed.
  public mutating func block(_ users: [String]) {
    denyAccess(to: users)
    participants.removeAll { $0.role != .owner && users.contains($0.userRecordName) }
    blockedUserRecordNames += users.filter { !blockedUserRecordNames.contains($0) }
  }

  /// Lets users ask again.
  public mutating func unblock(_ users: [String]) {
    blockedUserRecordNames.removeAll { users.contains($0) }
  }

  /// Makes participants administrators, or takes that from them; for the owner.
  ///
  /// - Parameters:
  ///   - users: Who is to be one; those who are in the list.
  ///   - isAdministrator: Whether they are to be administrators; those get the permission READ_WRITE.
  public mutating func setAdministrators(_ users: [String], to isAdministrator: Bool) {
    for index in participants.indices
    where participants[index].role != .owner
      && users.contains(participants[index].userRecordName)
    {
      participants[index].role = isAdministrator ? .administrator : .privateUser
      if isAdministrator { participants[index].permission = .readWrite }
    }
  }

  /// Invites whoever accepts a one-time URL first, which the server makes when the share is saved.
  ///
  /// - Parameters:
  ///   - id: Names the invitation within the share: `[A-Za-z0-9_-]{1,64}`.
  ///   - permission: What the user may do; READ_ONLY or READ_WRITE.
  ///   - expires: When the URL stops working; `nil`: never.
  public mutating func addInvitation(
    id: String,
    _ permission: TidingsV1.ParticipantPermission,
    expires: GoogleProtobuf.Timestamp? = nil
  ) {
    participants.append(.init(permission: permission, participantID: id, expires: expires))
  }

  /// A name for an invitation: 32 hexadecimal digits.
  public static func randomInvitationID() -> String {
    (0..<2).map { _ in
      let digits = String(UInt64.random(in: .min ... .max), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// The URL of an invitation that nobody has accepted.
  public func oneTimeURL(for participantID: String) -> String? {
    let url = participants.first { $0.participantID == participantID }?.oneTimeURL ?? ""
    return url.isEmpty ? nil : url
  }
}
