internal import TidingsModel

/// What becomes of a share when its owner saves it, and when participants come and go.
extension Share {
  /// The share as it is stored when its owner saves it.
  ///
  /// - Parameters:
  ///   - old: The share as it is stored; `nil`: it is new.
  ///   - owner: Whose it is.
  ///   - name: The record's name, for messages.
  ///   - limits: How many participants it may have.
  ///   - isKnown: Whether there is such a user.
  /// - Returns: The share without a URL.
  /// - Throws: `ItemError` `participantAlreadyInvited`, `tooManyParticipants`, `invalidArguments`; what
  ///   `isKnown` throws.
  func saved(
    over old: Share?,
    by owner: String,
    named name: String,
    limits: Limits,
    isKnown: (String) throws -> Bool
  ) throws -> Share {
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
    var seen: Set<String> = []
    for sent in participants {
      guard seen.insert(sent.user).inserted else {
        throw ItemError(
          .participantAlreadyInvited,
          "share '\(name)': \(Identifier.shown(sent.user)) stands in the list twice: name each "
            + "participant once"
        )
      }
      if sent.user == owner || sent.role == .owner {
        try Self.check(owner: sent, owner, name)
        continue
      }
      if let participant = try self.saved(sent, over: old?.participant(sent.user), name, isKnown) {
        saved.participants.append(participant)
      }
    }
    try saved.checkCount(named: name, limits)
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
        ? "share '\(name)': you own it; leave yourself out of the list, or keep your role OWNER"
        : "share '\(name)': \(Identifier.shown(sent.user)) cannot be its owner: invite the user with "
          + "another role"
    )
  }

  /// A participant of the list; `nil`: who came with the URL goes, since that is no longer allowed.
  private func saved(
    _ sent: Participant,
    over old: Participant?,
    _ name: String,
    _ isKnown: (String) throws -> Bool
  ) throws -> Participant? {
    // Who came with another URL, in the copy of a share, is not invited: the URL of this one lets in.
    if old == nil, sent.role == .publicUser { return nil }
    var participant = sent
    participant.role = old?.role ?? .privateUser
    participant.status = old?.status ?? .pending
    if participant.role == .publicUser {
      participant.permission = publicPermission
      return publicPermission == .none ? nil : participant
    }
    guard try old != nil || isKnown(sent.user) else {
      throw ItemError(
        .invalidArguments,
        "share '\(name)': there is no user \(Identifier.shown(sent.user)): mend the name, or let an "
          + "administrator create the user first"
      )
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
    participant(user).map { $0.permission != .none } ?? (publicPermission != .none)
  }

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
    }
    return share
  }

  /// The share as a user sees it: who has not accepted sees the owner only, and what concerns the user.
  func seen(by user: String) -> Share {
    guard participant(user)?.status != .accepted else { return self }
    var share = self
    share.participants = participants.filter { $0.role == .owner || $0.user == user }
    return share
  }
}
