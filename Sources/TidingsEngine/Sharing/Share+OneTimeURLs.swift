internal import TidingsModel

/// Invitations that the first who accepts them takes.
extension Share {
  /// The invitation with an identifier.
  func participant(withID id: String) -> Participant? { participants.first { $0.id == id } }

  /// Whether an invitation is a user's: taken by the user, or open to anyone.
  func admits(_ user: String, invitation id: String, at time: Timestamp) -> Bool {
    guard let invitation = participant(withID: id), invitation.permission != .none else {
      return false
    }
    guard invitation.isOpen else { return invitation.user == user }
    if let expires = invitation.expires, expires <= time { return false }
    return !blockedUsers.contains(user) && participant(user)?.permission != Permission.none
  }

  /// The share when a user takes an invitation that admits the user.
  ///
  /// - Parameters:
  ///   - user: Who accepts.
  ///   - id: The invitation.
  /// - Returns: `nil`: the user has accepted it before.
  /// - Throws: `ItemError` `serverRejectedRequest` for a participant.
  func accepted(by user: String, invitation id: String) throws(ItemError) -> Share? {
    guard let index = participants.firstIndex(where: { $0.id == id }) else { return nil }
    var share = self
    if participants[index].isOpen {
      guard participant(user) == nil else {
        throw ItemError(
          .serverRejectedRequest,
          "you are in the list of this share already: leave the one-time URL to somebody else"
        )
      }
      share.participants[index].user = user
      // It is of no use any more.
      share.participants[index].oneTimeURL = ""
      share.participants[index].expires = nil
      share.requesters.removeAll { $0.user == user }
    } else if participants[index].status == .accepted {
      return nil
    }
    share.participants[index].status = .accepted
    return share
  }

  /// An invitation as it begins.
  ///
  /// - Parameters:
  ///   - sent: The participant of the list.
  ///   - name: The record's name, for messages.
  ///   - time: When.
  ///   - makeURL: Makes a URL that nobody knows.
  /// - Returns: `nil`: it comes from another share, whose URL it has.
  /// - Throws: `ItemError` `invalidArguments`.
  static func invitation(
    _ sent: Participant,
    named name: String,
    at time: Timestamp,
    makeURL: () -> String
  ) throws(ItemError) -> Participant? {
    guard sent.oneTimeURL.isEmpty else { return nil }
    if let expires = sent.expires, expires <= time {
      throw ItemError(
        .invalidArguments,
        "share '\(name)': the one-time URL of '\(sent.id)' would have expired already: choose a time in "
          + "the future, or none"
      )
    }
    try check(invitation: sent, named: name)
    return Participant(
      id: sent.id,
      permission: sent.permission,
      oneTimeURL: makeURL(),
      expires: sent.expires
    )
  }

  /// Refuses what an invitation that nobody has accepted cannot be.
  static func check(invitation: Participant, named name: String) throws(ItemError) {
    guard invitation.role != .administrator else {
      throw ItemError(
        .invalidArguments,
        "share '\(name)': it is not known who will accept '\(invitation.id)': make the user an "
          + "administrator afterwards"
      )
    }
    guard invitation.permission != .none else {
      throw ItemError(
        .invalidArguments,
        "share '\(name)': invitation '\(invitation.id)' cannot be accepted: give it the permission READ_ONLY or "
          + "READ_WRITE, or remove it"
      )
    }
  }
}

extension Share.Participant {
  fileprivate init(
    id: String,
    permission: Share.Permission,
    oneTimeURL: String,
    expires: Timestamp?
  ) {
    self.init(user: "", permission: permission)
    (self.id, self.oneTimeURL, self.expires) = (id, oneTimeURL, expires)
  }
}
