internal import TidingsModel

/// What a save of a share is judged by.
struct ShareSaving {
  /// Whose share it is.
  let owner: String
  /// The record's name, for messages.
  let name: String
  /// An administrator saves it, not the owner.
  let isByAdministrator: Bool
  /// When.
  let time: Timestamp
  /// How long its lists may be.
  let limits: Limits
  /// Makes a URL that nobody knows.
  let makeURL: () -> String
  /// Whether there is such a user.
  let isKnown: (String) throws -> Bool
}

/// What becomes of a share when it is saved, and when participants come and go.
extension Share {
  /// The share as it is stored when its owner or an administrator saves it.
  ///
  /// - Parameters:
  ///   - old: The share as it is stored; `nil`: it is new.
  ///   - saving: Who saves it, when, and what is allowed.
  /// - Returns: The share without a URL.
  /// - Throws: `ItemError` `participantAlreadyInvited`, `tooManyParticipants`, `invalidArguments`,
  ///   `limitExceeded`, `permissionFailure`; what `isKnown` throws.
  func saved(over old: Share?, _ saving: ShareSaving) throws -> Share {
    let (owner, name) = (saving.owner, saving.name)
    if let old, old.rootRecordName != rootRecordName {
      throw ItemError(
        .invalidArguments,
        "share '\(name)' shares '\(old.rootRecordName)', not '\(rootRecordName)': what a share is for "
          + "cannot change; delete it, and save another"
      )
    }
    var saved = self
    saved.participants = [
      Participant(user: owner, role: .owner, permission: .readWrite, status: .accepted)
    ]
    for sent in participants {
      if sent.user == owner || sent.role == .owner {
        try Self.check(owner: sent, owner, name)
        continue
      }
      let known = try old?.known(sent, name)
      guard let participant = try self.saved(sent, over: known, saving) else { continue }
      saved.participants.append(participant)
    }
    try checkUnique(named: name)
    try saved.checkUnique(named: name)
    try saved.checkCount(named: name, saving.limits)
    saved.requesters = saved.openRequests(of: old)
    var blocked: Set<String> = []
    saved.blockedUsers = blockedUsers.filter { blocked.insert($0).inserted }
    try saved.checkBlocked(named: name, saving.limits)
    if saving.isByAdministrator, let old {
      try saved.checkAdministrators(areThoseOf: old, named: name)
    }
    return saved
  }

  private static func check(
    owner sent: Participant,
    _ owner: String,
    _ name: String
  ) throws(ItemError) {
    guard sent.user != owner || sent.role != .owner else { return }
    throw ItemError(
      .invalidArguments,
      sent.user == owner
        ? "share '\(name)': its owner is in the list with another role: leave the owner out, or keep the "
          + "role OWNER"
        : "share '\(name)': \(Identifier.shown(sent.user)) cannot be its owner: invite the user with "
          + "another role"
    )
  }

  private func checkUnique(named name: String) throws(ItemError) {
    var (users, ids) = ([] as Set<String>, [] as Set<String>)
    for participant in participants {
      let isNew =
        (participant.isOpen || users.insert(participant.user).inserted)
        && (participant.id.isEmpty || ids.insert(participant.id).inserted)
      guard !isNew else { continue }
      let shown = Identifier.shown(participant.isOpen ? participant.id : participant.user)
      throw ItemError(
        .participantAlreadyInvited,
        "share '\(name)': \(shown) appears twice in the list: name each participant once"
      )
    }
  }

  /// The participant whom one of a list means.
  private func known(_ sent: Participant, _ name: String) throws(ItemError) -> Participant? {
    guard !sent.id.isEmpty, let known = participant(withID: sent.id) else {
      return sent.isOpen ? nil : participant(sent.user)
    }
    guard sent.isOpen || sent.user == known.user else {
      throw ItemError(
        .invalidArguments,
        "share '\(name)': the invitation '\(sent.id)' cannot be given to \(Identifier.shown(sent.user)): "
          + "invite the user by name, without a participant_id"
      )
    }
    return known
  }

  /// A participant of the list; `nil`: who came with the URL goes, since that is no longer allowed.
  private func saved(
    _ sent: Participant,
    over old: Participant?,
    _ saving: ShareSaving
  ) throws -> Participant? {
    // Who came with another URL, in the copy of a share, is not invited: the URL of this one lets in.
    if old == nil, sent.role == .publicUser { return nil }
    guard let old else { return try invited(sent, saving) }
    var participant = old
    participant.permission = sent.permission
    if old.isOpen {
      try Self.check(invitation: sent, named: saving.name)
      participant.expires = sent.expires
      return participant
    }
    if sent.role == .administrator {
      participant.role = .administrator
      try Self.check(administrator: participant, named: saving.name)
    } else if old.role == .administrator {
      participant.role = .privateUser
    } else if old.role == .publicUser {
      participant.permission = publicPermission
      return publicPermission == .none ? nil : participant
    }
    // Who may join again later is invited again: what cannot be read does not count as accepted.
    if participant.permission == .none, participant.status == .accepted {
      participant.status = .pending
    }
    return participant
  }

  /// A participant who was not in the list.
  private func invited(_ sent: Participant, _ saving: ShareSaving) throws -> Participant? {
    guard !sent.isOpen else {
      return try Self.invitation(
        sent,
        named: saving.name,
        at: saving.time,
        makeURL: saving.makeURL
      )
    }
    guard try saving.isKnown(sent.user) else {
      throw ItemError(
        .invalidArguments,
        "share '\(saving.name)': there is no user \(Identifier.shown(sent.user)): correct the name, or let "
          + "an administrator create the user first"
      )
    }
    let participant = Participant(
      user: sent.user,
      role: sent.role == .administrator ? .administrator : .privateUser,
      permission: sent.permission
    )
    if participant.role == .administrator {
      try Self.check(administrator: participant, named: saving.name)
    }
    return participant
  }

  private func checkCount(named name: String, _ limits: Limits) throws(ItemError) {
    guard participants.count > limits.participantsPerShareMax else { return }
    throw ItemError(
      .tooManyParticipants,
      "share '\(name)' would have \(participants.count) participants with its owner and may have "
        + "\(limits.participantsPerShareMax): remove some, or share with fewer"
    )
  }

  /// Whether a user may accept, or has.
  func admits(_ user: String) -> Bool {
    participant(user).map { $0.permission != .none }
      ?? (publicPermission != .none && !blockedUsers.contains(user))
  }

  /// Whether a user may read what is shared without having accepted: whoever has the URL may.
  func isReadByAll(_ user: String) -> Bool { publicPermission != .none && admits(user) }

  /// The share when a user accepts who may.
  ///
  /// - Parameters:
  ///   - user: Who accepts.
  ///   - name: The record's name, for messages.
  ///   - limits: How many participants it may have.
  /// - Returns: `nil`: the user has accepted before.
  /// - Throws: `tooManyParticipants`.
  func accepted(by user: String, named name: String, limits: Limits) throws(ItemError) -> Share? {
    var share = self
    if let index = participants.firstIndex(where: { $0.user == user }) {
      guard participants[index].status != .accepted else { return nil }
      share.participants[index].status = .accepted
      return share
    }
    share.participants.append(
      Participant(
        user: user,
        role: .publicUser,
        permission: publicPermission,
        status: .accepted
      )
    )
    share.requesters.removeAll { $0.user == user }
    try share.checkCount(named: name, limits)
    return share
  }

  /// The share when a participant leaves: who was invited may come back.
  func left(by user: String) -> Share {
    var share = self
    guard let index = participants.firstIndex(where: { $0.user == user }) else { return share }
    if participants[index].role == .publicUser {
      share.participants.remove(at: index)
    } else {
      share.participants[index].status = .removed
      // Who comes back does not administer the share: that is for the owner to say again.
      share.participants[index].role = .privateUser
    }
    return share
  }
}
