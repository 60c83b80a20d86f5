internal import TidingsModel
internal import TidingsSQL

extension SharedZoneFeed {
  /// Makes a page of the newest changes that the client does not have.
  ///
  /// A record that changes while the client reads back is not returned by later pages, and neither is what a share has
  /// that is accepted meanwhile: they are ahead of them.
  func newestPage(
    _ read: ZoneRead,
    _ purpose: String,
    _ budget: inout FeedBudget,
    _ visit: (ZoneChange) throws -> Void
  ) throws -> ZonePage {
    let ownPurpose = purpose + "\0newest first"
    let known = try newestPosition(read, ownPurpose)
    let page: (position: SharedNewestPosition, count: Int, moreComing: Bool) =
      if let share = read.accepted.first(where: \.share.isZoneWide) {
        try newestOfZone(share, known, read, purpose, &budget, visit)
      } else {
        try newestRecords(known, read, purpose, &budget, visit)
      }
    return ZonePage(
      changeToken: SealedToken.seal(page.position.numbers, for: ownPurpose, identity),
      moreComing: page.moreComing,
      changeCount: page.count,
      clientChangeTokenData: []
    )
  }

  /// Where a client is that has begun to read back; `nil`: it begins, at the end of a feed that it read forwards.
  private func newestPosition(
    _ read: ZoneRead,
    _ ownPurpose: String
  ) throws -> SharedNewestPosition? {
    let holder = Self.holder(read)
    let numbers = try? SealedToken.open(
      read.request.changeToken,
      for: ownPurpose,
      identity,
      holder: holder
    )
    guard let numbers else { return nil }
    guard let position = SharedNewestPosition(numbers) else { throw SealedToken.foreign(holder) }
    try Self.checkStillShared(position.shares, read)
    return position
  }

  private func newestOfZone(
    _ accepted: AcceptedShare,
    _ known: SharedNewestPosition?,
    _ read: ZoneRead,
    _ purpose: String,
    _ budget: inout FeedBudget,
    _ visit: (ZoneChange) throws -> Void
  ) throws -> (position: SharedNewestPosition, count: Int, moreComing: Bool) {
    let owner = read.entry.database
    let zone = try zoneFeed.zone(read.entry.id, in: owner.id, owner)
    var position: NewestFirstPosition
    if case .zone(_, let location)? = known {
      position = location
    } else {
      var base = FeedPosition.beginning(head: zone.head)
      if known == nil, case .zone(_, let location)? = try self.position(read, purpose) {
        base = location
      }
      position = NewestFirstPosition(downTo: base, head: zone.head)
    }
    try zoneFeed.check(position.base, in: zone, named: read.name)
    let walked = try zoneFeed.walkBack(read.request, zone, nil, from: &position, &budget, visit)
    return (
      .zone(share: accepted.share.number, position), walked.count, walked.moreComing
    )
  }

  private func newestRecords(
    _ known: SharedNewestPosition?,
    _ read: ZoneRead,
    _ purpose: String,
    _ budget: inout FeedBudget,
    _ visit: (ZoneChange) throws -> Void
  ) throws -> (position: SharedNewestPosition, count: Int, moreComing: Bool) {
    var position = try recordsBack(known, read, purpose)
    let room = read.request.limit == 0 ? budget.items : min(read.request.limit, budget.items)
    let starts = position.bases.mapValues { _ in position.reached }
    let begun = position
    var rows = try MergedSharedRows(starts, newestFirst: true) { share, location, count in
      // What follows one that is known is known, too: there are no more.
      let rows = try self.rows(of: share, before: location, count: count)
      return Array(rows.prefix { !begun.isKnown($0) })
    }
    var (count, moreComing) = (0, false)
    while let row = try rows.next() {
      guard budget.rows > 0,
        try pass(
          row,
          begun.bases,
          begun.bases,
          read,
          &budget,
          { change, bytes, budget in
            guard count < room, budget.take(bytes: bytes) else { return false }
            try visit(change)
            count += 1
            return true
          }
        )
      else {
        moreComing = true
        break
      }
      position.reached = SharedPosition(sequence: row.changed, name: row.name)
    }
    if !moreComing { position.reached = SharedPosition() }
    return (.records(position), count, moreComing)
  }

  private func recordsBack(
    _ known: SharedNewestPosition?,
    _ read: ZoneRead,
    _ purpose: String
  ) throws -> SharedRecordsBack {
    if case .records(let position)? = known {
      // Refuses those from which changes are no longer known.
      _ = try positions(.records(position.bases), read)
      return position
    }
    let bases = try positions(known == nil ? try self.position(read, purpose) : nil, read)
    return SharedRecordsBack(downTo: bases, head: read.accepted.map(\.share.head).max() ?? 0)
  }

  private func rows(
    of share: Int64,
    before position: SharedPosition,
    count: Int
  ) throws -> [SharedRow] {
    var rows: [SharedRow] = []
    selectNewest.bind(share, at: 1)
    selectNewest.bind(position.sequence, at: 2)
    selectNewest.bind(position.name ?? "", at: 3)
    selectNewest.bind(Int64(count), at: 4)
    try selectNewest.forEachRow { rows.append(Self.row(selectNewest, share)) }
    return rows
  }
}
