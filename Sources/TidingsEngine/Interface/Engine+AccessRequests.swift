public import TidingsModel

extension Engine {
  /// Asks the owner of a share for access; who asked lately, was denied or is blocked changes nothing.
  ///
  /// - Throws: `ItemError` `unknownItem` where the share does not take requests or is not there,
  ///   `serverRejectedRequest` for those who may accept, `limitExceeded`; `SQLError`.
  public func requestShareAccess(_ url: String, for caller: Caller) throws {
    guard let found = try share(behind: url), found.invitation == nil,
      let share = found.record.share
    else { throw ItemError.noShare }
    let (zone, name) = (found.zone, found.record.recordID.recordName)
    guard zone.database.id.owner != caller.user else {
      throw ItemError(
        .serverRejectedRequest,
        "the share '\(name)' is your own: what it shares is in your private database"
      )
    }
    guard !share.admits(caller.user) else {
      throw ItemError(
        .serverRejectedRequest,
        "you may accept this share: do so (AcceptShares, rpcctl shares accept) without asking for access"
      )
    }
    guard share.allowsAccessRequests else { throw ItemError.noShare }
    let (number, moment) = (found.share.number, moment)
    guard try !sharing.accessRequests.isRemembered(caller.user, share: number, at: moment.steady)
    else {
      return
    }
    try sharing.accessRequests.checkCount(of: caller.user, at: moment.steady)
    try asOneCall(by: caller) { call in
      _ = try modifications.records.changeShare(name, in: zone, by: call, isRequest: true) {
        try $0.requested(by: caller.user, at: moment.timeOfDay, named: name, limits: limits)
      }
    }
    try sharing.accessRequests.remember(caller.user, share: number, at: moment.steady)
  }
}
