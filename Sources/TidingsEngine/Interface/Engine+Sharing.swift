public import TidingsModel

extension Engine {
  /// From now on only users can be invited who were created.
  public func requireKnownParticipants() {
    modifications.records.isKnownUser = {
      [accounts = access.accounts, unowned eraser = erasure.users] in
      try !eraser.users.contains($0) && accounts.user($0) != nil
    }
  }

  /// What is behind the URL of a share, for those who may accept it or have.
  ///
  /// - Throws: `ItemError` `unknownItem` for all others; `SQLError`.
  public func shareInfo(
    _ url: String,
    for caller: Caller,
    wantsRoot: Bool
  ) throws -> ShareInfo {
    let found = try share(url, for: caller)
    var info = try info(found.record, in: found.zone, for: caller, wantsRoot: wantsRoot)
    guard let id = found.invitation, var invitation = found.record.share?.participant(withID: id),
      invitation.isOpen, found.share.owner != caller.user
    else { return info }
    // Who is not in the list yet accepts with this URL, and with no other.
    info.record.share?.url = url
    if info.participant == nil {
      invitation.oneTimeURL = ""
      info.participant = invitation
    }
    return info
  }

  /// Joins a share; who has joined before stays what he is.
  ///
  /// - Throws: `ItemError` `unknownItem` for those who may not, `serverRejectedRequest` for its owner,
  ///   `tooManyParticipants`, `limitExceeded`; `SQLError`.
  public func acceptShare(_ url: String, for caller: Caller) throws -> ShareInfo {
    let found = try share(url, for: caller)
    let (zone, record) = (found.zone, found.record)
    guard zone.database.id.owner != caller.user else {
      throw ItemError(
        .serverRejectedRequest,
        "the share '\(record.recordID.recordName)' is your own: what it shares is in your private "
          + "database; give its URL to others"
      )
    }
    let accepted = try asOneCall(by: caller) { call in
      try modifications.records.changeShare(record.recordID.recordName, in: zone, by: call) {
        share in
        let name = record.recordID.recordName
        let new =
          if let invitation = found.invitation {
            try share.accepted(by: caller.user, invitation: invitation)
          } else {
            try share.accepted(by: caller.user, named: name, limits: limits)
          }
        guard let new else { return nil }
        try checkAcceptedCount(of: caller)
        return new
      }
    }
    return try info(accepted ?? record, in: zone, for: caller, wantsRoot: false)
  }

  /// Refuses to accept more shares in one call, or to ask for access to more, than others can wait for, and to begin what
  /// takes long where it cannot pause.
  ///
  /// - Parameters:
  ///   - urls: The shares; what is wrong with one is not said here.
  ///   - caller: Who accepts them, or asks.
  ///   - isRequest: The caller asks.
  /// - Throws: `ItemError` `limitExceeded`; `LongCall`; `SQLError`.
  public func checkFirings(
    ofSharesAt urls: [String],
    for caller: Caller,
    isRequest: Bool
  ) throws {
    guard channels.registry.watched.watchesAnyZone else { return }
    var count = 0
    for url in Set(urls).sorted() {
      try pace.decisionStep()
      do {
        guard let found = try share(behind: url), changes(found, caller, isRequest) else {
          continue
        }
        count += try events.firings.channelCount(
          changing: found.share.number,
          in: found.zone,
          for: caller.user
        )
      } catch is ItemError {
        continue
      }
    }
    try checkEvents(
      count,
      ofChanges: urls.count,
      // Not how many: the caller may not know who subscribes.
      else:
        "the shares of this call would fire more than \(limits.eventsPerCallMax) notifications, the most that are "
        + "allowed: name fewer shares in one call"
    )
  }

  /// Whether a share will have another state.
  private func changes(_ found: FoundShare, _ caller: Caller, _ isRequest: Bool) -> Bool {
    guard let share = found.record.share, found.share.owner != caller.user else { return false }
    if isRequest { return share.allowsAccessRequests && !share.admits(caller.user) }
    return admits(caller, to: found) && share.participant(caller.user)?.status != .accepted
  }

  private func checkAcceptedCount(of caller: Caller) throws {
    let count = try sharing.table.acceptedCount(of: caller.user)
    guard count >= limits.acceptedSharesPerUserMax else { return }
    throw ItemError(
      .limitExceeded,
      "you have accepted \(count) shares and may have \(limits.acceptedSharesPerUserMax): leave those "
        + "that you do not need"
    )
  }

  /// The shares that a user owns, was invited to or has accepted, a page of them.
  ///
  /// - Parameters:
  ///   - caller: The user.
  ///   - container: The container.
  ///   - environment: The environment.
  ///   - number: What the last page returned; 0: from the beginning.
  ///   - limit: Most shares, at least 1.
  ///   - add: Adds a share to the page; `false`: there is no room, which is never so for the first.
  /// - Returns: Where the next page begins; `nil`: there are no more. A page may have fewer shares, or none.
  /// - Throws: `ItemError` `badContainer`; `LongCall`; `SQLError`.
  public func shares(
    of caller: Caller,
    container: String,
    environment: Environment,
    after number: Int64,
    limit: Int,
    _ add: (ShareInfo) throws -> Bool
  ) throws -> Int64? {
    try catalog.requireDeployed(container, environment)
    let found = try sharing.reader.shares(
      of: caller.user,
      container: container,
      environment: environment,
      after: number,
      limit: limit + 1,
      pace: pace
    )
    var last = number
    for share in found.shares.prefix(limit) {
      try pace.decisionStep()
      if let (zone, record) = try self.record(of: share),
        try !add(info(record, in: zone, for: caller, wantsRoot: false))
      {
        return last
      }
      last = share.number
    }
    return found.shares.count > limit ? last : found.end
  }

  // MARK: Looking

  /// What a URL leads to, whoever asks.
  struct FoundShare {
    let share: StoredShare
    let zone: ZoneEntry
    let record: Record
    /// The invitation whose one-time URL it is; `nil`: the URL is the share's.
    let invitation: String?
  }

  /// The share behind a URL, for those who may accept it or have.
  private func share(_ url: String, for caller: Caller) throws -> FoundShare {
    guard let found = try share(behind: url),
      found.share.owner == caller.user || admits(caller, to: found)
    else { throw ItemError.noShare }
    return found
  }

  private func admits(_ caller: Caller, to found: FoundShare) -> Bool {
    guard let share = found.record.share else { return false }
    guard let invitation = found.invitation else { return share.admits(caller.user) }
    return share.admits(caller.user, invitation: invitation, at: moment.timeOfDay)
  }

  /// The share behind a URL; `nil`: there is none.
  func share(behind url: String) throws -> FoundShare? {
    guard let parsed = ShareURL(url) else { return nil }
    var invitation: String?
    var share = try sharing.reader.share(withToken: parsed.token)
    if share == nil, let found = try sharing.reader.invitation(withToken: parsed.token) {
      (share, invitation) = (found.share, found.participantID)
    }
    guard let share, let (zone, record) = try record(of: share),
      zone.database.id.container == parsed.container,
      zone.database.id.environment == parsed.environment
    else { return nil }
    return FoundShare(share: share, zone: zone, record: record, invitation: invitation)
  }

  private func record(of share: StoredShare) throws -> (zone: ZoneEntry, record: Record)? {
    let database = try catalog.database(numbered: share.database)
    guard let zone = try catalog.zone(share.zone, in: database),
      let record = try modifications.records.record(share.name, in: zone)
    else { return nil }
    return (zone, record)
  }

  private func info(
    _ record: Record,
    in zone: ZoneEntry,
    for caller: Caller,
    wantsRoot: Bool
  ) throws -> ShareInfo {
    let owner = zone.database.id.owner
    var seen = record
    seen.recordID.zoneID.ownerName = owner
    seen.share = record.share?.seen(by: caller.user)
    var info = ShareInfo(
      database: zone.database.id,
      zone: seen.recordID.zoneID,
      record: seen,
      participant: record.share?.participant(caller.user)
    )
    guard wantsRoot, let root = record.share?.rootRecordName, !root.isEmpty,
      try owner == caller.user || record.share?.isReadByAll(caller.user) == true
        || mayRead(root, in: zone, caller)
    else { return info }
    info.rootRecord = try modifications.records.body(root, in: zone)
    return info
  }

  /// A share as a user may see it; `nil`: its record is gone.
  func shareInfo(of share: StoredShare, for user: String) throws -> ShareInfo? {
    try record(of: share).map { zone, record in
      try info(record, in: zone, for: Caller(user: user, device: ""), wantsRoot: false)
    }
  }

  private func mayRead(_ name: String, in zone: ZoneEntry, _ caller: Caller) throws -> Bool {
    try ParticipantAccess(caller.user, sharing.reader)
      .canRead(RecordID(recordName: name, zoneID: zone.id), of: "", in: zone, creator: { "" })
  }
}
