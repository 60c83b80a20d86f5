internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

/// The changes of a zone of which another user shares something with the caller: of a zone that is
/// shared as a whole its owner's feed, else those of the records in the shares that the caller has
/// accepted, oldest change first unless asked otherwise, each record once at its latest state.
///
/// What left those shares is reported as deleted. A token has a position in each share: one that is
/// accepted later starts at its beginning, and when one is lost, so that it is unknown which of its
/// records the client has, the token expires.
final class SharedZoneFeed {
  /// A zone with what the caller has accepted in it.
  struct ZoneRead {
    let request: ZoneFeedRequest
    let name: String
    let entry: ZoneEntry
    let accepted: [AcceptedShare]
  }

  private let catalog: Catalog
  private let shares: ShareReader
  let zoneFeed: ZoneFeed
  private let codec: BodyCodec
  let identity: StoreIdentity
  private let limits: Limits
  private let selectRows: any SQLStatement
  let selectNewest: any SQLStatement
  private let selectRow: any SQLStatement
  private let selectBody: any SQLStatement

  init(
    _ connection: any SQLConnection,
    catalog: Catalog,
    shares: ShareReader,
    zoneFeed: ZoneFeed,
    codec: BodyCodec,
    identity: StoreIdentity,
    limits: Limits
  ) throws {
    self.catalog = catalog
    self.shares = shares
    self.zoneFeed = zoneFeed
    self.codec = codec
    self.identity = identity
    self.limits = limits
    selectRows = try connection.prepare(
      """
      SELECT changed, name, record_type, gone FROM shared_records
      WHERE share_id = ?1 AND (changed, name) > (?2, ?3) ORDER BY changed, name LIMIT ?4
      """
    )
    selectNewest = try connection.prepare(
      """
      SELECT changed, name, record_type, gone FROM shared_records
      WHERE share_id = ?1 AND (changed, name) < (?2, ?3) ORDER BY changed DESC, name DESC LIMIT ?4
      """
    )
    selectRow = try connection.prepare(
      """
      SELECT changed, name, record_type, gone FROM shared_records
      WHERE share_id = ?1 AND name = ?2
      """
    )
    selectBody = try connection.prepare(
      "SELECT body FROM records WHERE zone_id = ?1 AND name = ?2 AND body IS NOT NULL"
    )
  }

  /// Makes one page.
  ///
  /// - Parameters:
  ///   - request: The zone with its owner, where to continue, and what to return.
  ///   - database: The caller's shared database.
  ///   - caller: Who asks, and whose mark comes with the page.
  ///   - budget: What the call may still return.
  ///   - visit: Takes each change, oldest first unless asked otherwise.
  /// - Returns: The end of the page.
  /// - Throws: `ItemError`: `zoneNotFound`, `changeTokenExpired`, `invalidArguments`; `SQLError`; what
  ///   `visit` throws.
  func page(
    _ request: ZoneFeedRequest,
    in database: DatabaseID,
    caller: Caller,
    budget: inout FeedBudget,
    _ visit: (ZoneChange) throws -> Void
  ) throws -> ZonePage {
    let zone = try shares.acceptedZone(request.zone, in: database, catalog)
    let read = ZoneRead(
      request: request,
      name: request.zone.shown,
      entry: zone.entry,
      accepted: zone.shares
    )
    let purpose =
      "zone changes\0\(database.purpose)\0\(request.zone.ownerName)\0\(request.zone.zoneName)"
    let owner = codec.ownerBytes(ofZone: request.zone)
    let visit = { [codec] (change: ZoneChange) in
      guard case .saved(let body) = change else { return try visit(change) }
      let seen = try codec.body(body, seenBy: caller.user) ?? Array(body)
      try (seen + owner).withUnsafeBytes { try visit(.saved($0)) }
    }
    if request.order == .newestFirst { return try newestPage(read, purpose, &budget, visit) }
    let known = request.order == .none ? nil : try position(read, purpose)
    let page: Page =
      if request.order == .none {
        try end(read)
      } else if let share = read.accepted.first(where: \.share.isZoneWide) {
        try whole(share, known, read, &budget, visit)
      } else {
        try records(known, read, &budget, visit)
      }
    return ZonePage(
      changeToken: SealedToken.seal(page.position.numbers, for: purpose, identity),
      moreComing: page.moreComing,
      changeCount: page.count,
      clientChangeTokenData: try zoneFeed.mark(
        of: caller,
        in: read.entry.number,
        upTo: page.covered
      )
    )
  }

  private struct Page {
    var position: SharedZonePosition
    var count = 0
    var moreComing = false
    /// The zone's number up to which the client has everything that it may.
    var covered: Int64
  }

  /// Where the client is; `nil`: it begins.
  func position(_ read: ZoneRead, _ purpose: String) throws -> SharedZonePosition? {
    guard !read.request.changeToken.isEmpty else { return nil }
    let holder = Self.holder(read)
    let numbers = try SealedToken.open(
      read.request.changeToken,
      for: purpose,
      identity,
      holder: holder
    )
    guard let position = SharedZonePosition(numbers) else { throw SealedToken.foreign(holder) }
    try Self.checkStillShared(position.shares, read)
    return position
  }

  static func holder(_ read: ZoneRead) -> String {
    "\(read.name) of the shared database of this user"
  }

  /// Refuses a token of shares that the caller has lost.
  static func checkStillShared(_ shares: Set<Int64>, _ read: ZoneRead) throws(ItemError) {
    guard shares.isSubset(of: read.accepted.lazy.map(\.share.number)) else {
      throw .tokenExpired(
        "something in \(read.name) that the change token covers is no longer shared with you"
      )
    }
  }

  /// No changes, and the position behind all of them.
  private func end(_ read: ZoneRead) throws -> Page {
    if let share = read.accepted.first(where: \.share.isZoneWide) {
      let zone = try zoneFeed.zone(read.entry.id, in: read.entry.database.id, read.entry.database)
      let position = FeedPosition.end(head: zone.head)
      return Page(position: .zone(share: share.share.number, position), covered: 0)
    }
    let positions = read.accepted.map {
      ($0.share.number, SharedPosition(sequence: $0.share.head))
    }
    return Page(position: .records(Dictionary(positions, uniquingKeysWith: { $1 })), covered: 0)
  }

  // MARK: A zone that is shared as a whole

  private func whole(
    _ accepted: AcceptedShare,
    _ known: SharedZonePosition?,
    _ read: ZoneRead,
    _ budget: inout FeedBudget,
    _ visit: (ZoneChange) throws -> Void
  ) throws -> Page {
    let owner = read.entry.database
    let zone = try zoneFeed.zone(read.entry.id, in: owner.id, owner)
    var position = FeedPosition.beginning(head: zone.head)
    if case .zone(_, let location)? = known {
      try zoneFeed.check(location, in: zone, named: read.name)
      position = location
    }
    let walked = try zoneFeed.walk(
      read.request,
      zone,
      nil,
      from: &position,
      budget: &budget,
      visit
    )
    return Page(
      position: .zone(share: accepted.share.number, position),
      count: walked.count,
      moreComing: walked.moreComing,
      covered: position.covered
    )
  }

  // MARK: Records with their descendants

  private func records(
    _ known: SharedZonePosition?,
    _ read: ZoneRead,
    _ budget: inout FeedBudget,
    _ visit: (ZoneChange) throws -> Void
  ) throws -> Page {
    var positions = try positions(known, read)
    let room = read.request.limit == 0 ? budget.items : min(read.request.limit, budget.items)
    let heads = Dictionary(
      read.accepted.map { ($0.share.number, $0.share.head) },
      uniquingKeysWith: max
    )
    let begin = positions
    var rows = try MergedSharedRows(positions.filter { $0.value.covered < heads[$0.key] ?? 0 }) {
      try self.rows(of: $0, after: $1, count: $2)
    }
    var page = Page(position: .records([:]), covered: read.entry.head)
    while let row = try rows.next() {
      positions[row.share]?.completeBatch(before: row.changed)
      guard budget.rows > 0,
        try pass(
          row,
          begin,
          positions,
          read,
          &budget,
          { change, bytes, budget in
            guard page.count < room, budget.take(bytes: bytes) else { return false }
            try visit(change)
            page.count += 1
            return true
          }
        )
      else {
        page.moreComing = true
        page.covered = row.changed - 1
        break
      }
      positions[row.share]?.move(to: row.changed, row.name)
    }
    if !page.moreComing {
      for (share, head) in heads { positions[share]?.move(to: head, nil) }
    }
    page.position = .records(positions)
    return page
  }

  func positions(
    _ known: SharedZonePosition?,
    _ read: ZoneRead
  ) throws(ItemError) -> [Int64: SharedPosition] {
    var locations: [Int64: SharedPosition] = [:]
    if case .records(let known)? = known { locations = known }
    for share in read.accepted.lazy.map(\.share) {
      guard let location = locations[share.number] else {
        locations[share.number] = .beginning(head: share.head)
        continue
      }
      guard max(location.covered, location.born) <= share.head else {
        throw .tokenFromTheFuture(read.name)
      }
      guard !location.isExpired(floor: share.floor) else {
        throw .tokenTooOld(read.name, limits.tombstoneRetention)
      }
    }
    return locations
  }

  typealias Take =
    (ZoneChange, _ bytes: Int, inout FeedBudget) throws -> Bool

  /// Adds the changes of a row.
  ///
  /// - Returns: `false` when there was no room for it.
  func pass(
    _ row: SharedRow,
    _ begin: [Int64: SharedPosition],
    _ positions: [Int64: SharedPosition],
    _ read: ZoneRead,
    _ budget: inout FeedBudget,
    _ take: Take
  ) throws -> Bool {
    budget.rows -= 1
    let types = read.request.recordTypes
    guard types.isEmpty || types.contains(row.recordType) else { return true }
    guard row.isGone else { return try passRecord(row, read, &budget, take) }
    guard row.changed > begin[row.share]?.born ?? 0 else { return true }
    for (share, position) in positions where share != row.share {
      budget.rows -= 1
      if let other = try self.row(row.name, of: share), !row.isReported(beside: other, position) {
        return true
      }
    }
    return try take(
      .deleted(recordName: row.name, recordType: row.recordType),
      row.name.utf8.count + row.recordType.utf8.count,
      &budget
    )
  }

  private func passRecord(
    _ row: SharedRow,
    _ read: ZoneRead,
    _ budget: inout FeedBudget,
    _ take: Take
  ) throws -> Bool {
    selectBody.bind(read.entry.number, at: 1)
    selectBody.bind(row.name, at: 2)
    defer { selectBody.reset() }
    guard try selectBody.step() else {
      throw SQLError(.damaged, "the shared record '\(row.name)' is missing")
    }
    var isTaken = false
    try selectBody.withBytes(0) { body in
      guard let keys = read.request.desiredKeys else {
        isTaken = try take(.saved(body), body.count, &budget)
        return
      }
      try zoneFeed.keeping(keys, of: body).withUnsafeBytes { body in
        isTaken = try take(.saved(body), body.count, &budget)
      }
    }
    return isTaken
  }

  // MARK: Rows

  private func rows(
    of share: Int64,
    after position: SharedPosition,
    count: Int
  ) throws -> [SharedRow] {
    var rows: [SharedRow] = []
    selectRows.bind(share, at: 1)
    // Without a name all of the number's are reported: names are not empty, so the next number's follow.
    selectRows.bind(position.name == nil ? position.sequence + 1 : position.sequence, at: 2)
    selectRows.bind(position.name ?? "", at: 3)
    selectRows.bind(Int64(count), at: 4)
    try selectRows.forEachRow { rows.append(Self.row(selectRows, share)) }
    return rows
  }

  private func row(_ name: String, of share: Int64) throws(SQLError) -> SharedRow? {
    selectRow.bind(share, at: 1)
    selectRow.bind(name, at: 2)
    defer { selectRow.reset() }
    return try selectRow.step() ? Self.row(selectRow, share) : nil
  }

  static func row(_ row: any SQLStatement, _ share: Int64) -> SharedRow {
    SharedRow(
      share: share,
      changed: row.int64(0),
      name: row.string(1),
      recordType: row.string(2),
      isGone: row.int64(3) != 0
    )
  }
}
