internal import TidingsModel

/// What becomes of a share when users ask for access, and when they are answered.
extension Share {
  /// The share when a user asks who may not accept.
  ///
  /// - Parameters:
  ///   - user: Who asks.
  ///   - time: When.
  ///   - name: The record's name, for messages.
  ///   - limits: How many may wait for an answer.
  /// - Returns: `nil`: it does not change, which the user does not learn.
  /// - Throws: `ItemError` `limitExceeded`.
  func requested(
    by user: String,
    at time: Timestamp,
    named name: String,
    limits: Limits
  ) throws(ItemError) -> Share? {
    guard !requesters.contains(where: { $0.user == user }) else { return nil }
    // Before the next guard: who is blocked gets the answer of the others.
    guard requesters.count < limits.accessRequestsPerShareMax else {
      throw .noRoomForRequests(limits)
    }
    guard participant(user) == nil, !blockedUsers.contains(user) else { return nil }
    var share = self
    share.requesters.append(Requester(user: user, requested: time))
    return share
  }

  /// Who still waits for an answer when a share is saved: nobody is added, who is in none of its lists any
  /// more was denied.
  func openRequests(of old: Share?) -> [Requester] {
    let wanted = Set(requesters.map(\.user))
    let answered = Set(participants.map(\.user)).union(blockedUsers)
    return (old?.requesters ?? []).filter {
      wanted.contains($0.user) && !answered.contains($0.user)
    }
  }

  /// Refuses a list of blocked users that cannot be stored.
  func checkBlocked(named name: String, _ limits: Limits) throws(ItemError) {
    if let user = blockedUsers.first(where: { participant($0) != nil }) {
      throw ItemError(
        .invalidArguments,
        "share '\(name)': \(Identifier.shown(user)) is a participant and cannot be blocked: remove the "
          + "user from one of the lists"
      )
    }
    guard blockedUsers.count > limits.blockedUsersPerShareMax else { return }
    throw ItemError(
      .limitExceeded,
      "share '\(name)' would have \(blockedUsers.count) blocked users and may have "
        + "\(limits.blockedUsersPerShareMax): unblock some, or do not allow access requests"
    )
  }
}

extension ItemError {
  /// A share takes no more requests; its owner's figures are nobody's business.
  static func noRoomForRequests(_ limits: Limits) -> ItemError {
    ItemError(
      .limitExceeded,
      "the share has no room for another request (at most \(limits.accessRequestsPerShareMax)): ask "
        + "its owner in another way, or try again later"
    )
  }
}
