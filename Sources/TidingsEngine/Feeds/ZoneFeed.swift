internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

/// The changes of a zone after a token: each record once, at its latest state, oldest change first.
///
/// The order is that of the zone's numbers and, within one, of the places in its batch. A record that
/// changes while a client pages moves to the end, and comes (again) with a later page.
final class ZoneFeed {
  /// A zone as the snapshot has it.
  struct Zone {
    /// 0 for the default zone that was never written to.
    var number: Int64 = 0
    var created: Int64 = 0
    var head: Int64 = 0
    /// The number of the newest tombstone that is forgotten.
    var floor: Int64 = 0
  }

  private let catalog: Catalog
  private let codec: BodyCodec
  private let identity: StoreIdentity
  private let limits: Limits
  private let selectZone: any SQLStatement
  private let selectRecords: any SQLStatement
  private let selectHeads: any SQLStatement
  private let selectNewest: any SQLStatement
  private let selectNewestHeads: any SQLStatement
  private let selectBody: any SQLStatement
  private let selectMark: any SQLStatement

  init(
    _ connection: any SQLConnection,
    catalog: Catalog,
    codec: BodyCodec,
    identity: StoreIdentity,
    limits: Limits
  ) throws {
    self.catalog = catalog
    self.codec = codec
    self.identity = identity
    self.limits = limits
    selectZone = try connection.prepare(
      """
      SELECT id, created, head, tombstone_floor FROM zones WHERE database_id = ?1 AND name = ?2
      """
    )
    func select(_ body: String, newestFirst: Bool = false) -> String {
      let (relation, order) = newestFirst ? ("<", " DESC") : (">", "")
      return """
        SELECT sequence, position, name, record_type, deleted IS NOT NULL, \(body), creator
        FROM records
        WHERE zone_id = ?1 AND (sequence, position) \(relation) (?2, ?3)
        ORDER BY sequence\(order), position\(order)
        """
    }
    let key = PageKey(.integer(2, column: 0), .integer(3, column: 1))
    selectRecords = try connection.prepare(select("body"), inPagesBy: key)
    selectHeads = try connection.prepare(select("NULL"), inPagesBy: key)
    selectNewest = try connection.prepare(select("body", newestFirst: true), inPagesBy: key)
    selectNewestHeads = try connection.prepare(select("NULL", newestFirst: true), inPagesBy: key)
    selectBody = try connection.prepare(
      "SELECT body FROM records WHERE zone_id = ?1 AND name = ?2"
    )
    selectMark = try connection.prepare(
      """
      SELECT token FROM client_tokens
      WHERE zone_id = ?1 AND owner = ?2 AND device = ?3 AND sequence <= ?4
      """
    )
  }

  /// Makes one page.
  ///
  /// - Parameters:
  ///   - request: The zone, where to continue, and what to return.
  ///   - database: The zone's database.
  ///   - entry: The same in the store; `nil`: nothing was ever written to it.
  ///   - caller: Whose mark comes with the page.
  ///   - reading: Which records the caller may read; `nil`: all.
  ///   - budget: What the call may still return.
  ///   - visit: Takes each change, oldest first.
  /// - Returns: The end of the page.
  /// - Throws: `ItemError`: `zoneNotFound`, `userDeletedZone`, `changeTokenExpired`,
  ///   `invalidArguments`; `SQLError`; what `visit` throws.
  func page(
    _ request: ZoneFeedRequest,
    in database: DatabaseID,
    _ entry: DatabaseEntry?,
    caller: Caller,
    reading: PublicReading?,
    budget: inout FeedBudget,
    _ visit: (ZoneChange) throws -> Void
  ) throws -> ZonePage {
    try request.zone.validate()
    let zone = try zone(request.zone, in: database, entry)
    let purpose = "zone changes\0" + database.purpose + "\0" + request.zone.zoneName
    if request.order == .newestFirst {
      return try newestPage(request, zone, purpose, reading, &budget, visit)
    }
    if request.order == .none {
      let end = FeedPosition.end(head: zone.head)
      return ZonePage(
        changeToken: SealedToken.seal(
          [zone.number, zone.created] + end.numbers,
          for: purpose,
          identity
        ),
        moreComing: false,
        changeCount: 0,
        clientChangeTokenData: []
      )
    }
    var position = try position(request, zone, purpose)
    let walked = try walk(request, zone, reading, from: &position, budget: &budget, visit)
    return ZonePage(
      changeToken: SealedToken.seal(
        [zone.number, zone.created] + position.numbers,
        for: purpose,
        identity
      ),
      moreComing: walked.moreComing,
      changeCount: walked.count,
      clientChangeTokenData: try mark(of: caller, in: zone.number, upTo: position.covered)
    )
  }

  /// Reads on from a position, and moves it.
  ///
  /// - Parameters:
  ///   - request: What to return.
  ///   - zone: The zone.
  ///   - reading: Which records the caller may read; `nil`: all.
  ///   - position: Where the client is, and will be after the page.
  ///   - budget: What the call may still return.
  ///   - visit: Takes each change, oldest first.
  /// - Returns: How many changes, and whether there are more at once.
  /// - Throws: `SQLError`; what `visit` throws.
  func walk(
    _ request: ZoneFeedRequest,
    _ zone: Zone,
    _ reading: PublicReading?,
    from position: inout FeedPosition,
    budget: inout FeedBudget,
    _ visit: (ZoneChange) throws -> Void
  ) throws -> (count: Int, moreComing: Bool) {
    let room = request.limit == 0 ? budget.items : min(request.limit, budget.items)
    // Known without a look at the rows, which matters for calls with many idle zones.
    guard position.covered < zone.head else { return (0, false) }
    var count = 0
    let isAtEnd = try walk(request, zone, reading, &position, &budget) { change, bytes, budget in
      guard count < room, budget.take(bytes: bytes) else { return false }
      count += 1
      try visit(change)
      return true
    }
    return (count, !isAtEnd)
  }

  // MARK: The zone and the token

  /// The zone as the snapshot has it.
  ///
  /// - Throws: `ItemError` `zoneNotFound`, `userDeletedZone`; `SQLError`.
  func zone(_ id: ZoneID, in database: DatabaseID, _ entry: DatabaseEntry?) throws -> Zone {
    if let entry {
      selectZone.bind(entry.number, at: 1)
      selectZone.bind(id.zoneName, at: 2)
      defer { selectZone.reset() }
      if try selectZone.step() {
        return Zone(
          number: selectZone.int64(0),
          created: selectZone.int64(1),
          head: selectZone.int64(2),
          floor: selectZone.int64(3)
        )
      }
    }
    guard id == .default else {
      throw try catalog.absence(of: id, in: entry, scope: database.scope)
    }
    return Zone()
  }

  private func position(
    _ request: ZoneFeedRequest,
    _ zone: Zone,
    _ purpose: String
  ) throws(ItemError) -> FeedPosition {
    guard !request.changeToken.isEmpty else { return .beginning(head: zone.head) }
    let holder = Self.holder(request)
    let numbers = try SealedToken.open(request.changeToken, for: purpose, identity, holder: holder)
    guard numbers.count > 2, let position = FeedPosition(numbers[2...]) else {
      throw SealedToken.foreign(holder)
    }
    try check(numbers, position, request, zone)
    return position
  }

  private static func holder(_ request: ZoneFeedRequest) -> String {
    "zone \(Identifier.shown(request.zone.zoneName)) of this database and user"
  }

  /// Refuses a token that was issued for another zone of this name, or from which changes are no longer known.
  private func check(
    _ numbers: [Int64],
    _ position: FeedPosition,
    _ request: ZoneFeedRequest,
    _ zone: Zone
  ) throws(ItemError) {
    let name = "zone \(Identifier.shown(request.zone.zoneName))"
    // Tokens from before the default zone was first written to stay valid: they are of no zone.
    let isOfNone = request.zone == .default && numbers[0] == 0
    guard isOfNone || (numbers[0], numbers[1]) == (zone.number, zone.created) else {
      throw .tokenExpired(
        "the change token was issued before \(name) was deleted and created again"
      )
    }
    try check(position, in: zone, named: name)
  }

  /// Refuses a position from which the changes of a zone are no longer known.
  func check(_ position: FeedPosition, in zone: Zone, named name: String) throws(ItemError) {
    guard max(position.covered, position.born) <= zone.head else {
      throw .tokenFromTheFuture(name)
    }
    guard !position.isExpired(floor: zone.floor) else {
      throw .tokenTooOld(name, limits.tombstoneRetention)
    }
  }

  // MARK: Newest first

  /// Makes a page of the newest changes that the client does not have.
  ///
  /// A record that changes while the client reads back is not returned by later pages: it is ahead of them.
  private func newestPage(
    _ request: ZoneFeedRequest,
    _ zone: Zone,
    _ purpose: String,
    _ reading: PublicReading?,
    _ budget: inout FeedBudget,
    _ visit: (ZoneChange) throws -> Void
  ) throws -> ZonePage {
    let ownPurpose = purpose + "\0newest first"
    var position = try newestPosition(request, zone, purpose, ownPurpose)
    let walked = try walkBack(request, zone, reading, from: &position, &budget, visit)
    return ZonePage(
      changeToken: SealedToken.seal(
        [zone.number, zone.created] + position.numbers,
        for: ownPurpose,
        identity
      ),
      moreComing: walked.moreComing,
      changeCount: walked.count,
      clientChangeTokenData: []
    )
  }

  /// Reads back from a position, and moves it.
  ///
  /// - Parameters:
  ///   - request: What to return.
  ///   - zone: The zone.
  ///   - reading: Which records the caller may read; `nil`: all.
  ///   - position: Where the client is, and will be after the page.
  ///   - budget: What the call may still return.
  ///   - visit: Takes each change, newest first.
  /// - Returns: How many changes, and whether there are more at once.
  /// - Throws: `SQLError`; what `visit` throws.
  func walkBack(
    _ request: ZoneFeedRequest,
    _ zone: Zone,
    _ reading: PublicReading?,
    from position: inout NewestFirstPosition,
    _ budget: inout FeedBudget,
    _ visit: (ZoneChange) throws -> Void
  ) throws -> (count: Int, moreComing: Bool) {
    let room = request.limit == 0 ? budget.items : min(request.limit, budget.items)
    let rows = request.recordTypes.isEmpty ? selectNewest : selectNewestHeads
    rows.bind(zone.number, at: 1)
    rows.bind(position.sequence, at: 2)
    rows.bind(position.location, at: 3)
    defer { rows.reset() }
    var (count, moreComing) = (0, false)
    while try rows.step() {
      let (sequence, location) = (rows.int64(0), rows.int64(1))
      if position.isKnown(sequence, location) { break }
      guard budget.rows > 0 else {
        moreComing = true
        break
      }
      budget.rows -= 1
      let hasChanges = rows.int64(4) == 0 || sequence > position.base.born
      if hasChanges, request.recordTypes.isEmpty || request.recordTypes.contains(rows.string(3)),
        try mayRead(rows, zone, reading)
      {
        moreComing = try !offer(rows, request, zone, &budget) { change, bytes, budget in
          guard count < room, budget.take(bytes: bytes) else { return false }
          try visit(change)
          count += 1
          return true
        }
        if moreComing { break }
      }
      position.move(to: sequence, location)
    }
    if !moreComing { position.end() }
    return (count, moreComing)
  }

  /// Where the client is: its own token continues, one of a feed that is read forwards is where it ends.
  private func newestPosition(
    _ request: ZoneFeedRequest,
    _ zone: Zone,
    _ purpose: String,
    _ ownPurpose: String
  ) throws -> NewestFirstPosition {
    let holder = Self.holder(request)
    let numbers = try? SealedToken.open(
      request.changeToken,
      for: ownPurpose,
      identity,
      holder: holder
    )
    guard let numbers else {
      return .init(downTo: try position(request, zone, purpose), head: zone.head)
    }
    guard numbers.count > 2, let position = NewestFirstPosition(numbers[2...]) else {
      throw SealedToken.foreign(holder)
    }
    try check(numbers, position.base, request, zone)
    return position
  }

  // MARK: The rows

  /// Reads on from a position, and moves it, until the end (`true`) or until `take` has no room for a
  /// change.
  private func walk(
    _ request: ZoneFeedRequest,
    _ zone: Zone,
    _ reading: PublicReading?,
    _ position: inout FeedPosition,
    _ budget: inout FeedBudget,
    take: (ZoneChange, _ bytes: Int, inout FeedBudget) throws -> Bool
  ) throws -> Bool {
    // Skipped records are not read.
    let rows = request.recordTypes.isEmpty ? selectRecords : selectHeads
    rows.bind(zone.number, at: 1)
    rows.bind(position.sequence, at: 2)
    rows.bind(position.location ?? .max, at: 3)
    defer { rows.reset() }
    let born = position.born
    while try rows.step() {
      let (sequence, location) = (rows.int64(0), rows.int64(1))
      position.completeBatch(before: sequence)
      guard budget.rows > 0 else { return false }
      budget.rows -= 1
      let isDeleted = rows.int64(4) != 0
      let hasChanges = !isDeleted || sequence > born
      if hasChanges,
        request.recordTypes.isEmpty || request.recordTypes.contains(rows.string(3)),
        try mayRead(rows, zone, reading)
      {
        guard try offer(rows, request, zone, &budget, take) else { return false }
      }
      position.move(to: sequence, location)
    }
    position.move(to: zone.head, nil)
    return true
  }

  /// Whether the caller may read the record in a row, or may know that it was deleted.
  private func mayRead(
    _ row: any SQLStatement,
    _ zone: Zone,
    _ reading: PublicReading?
  ) throws -> Bool {
    guard let reading else { return true }
    return try reading.mayList(row.string(3)) {
      if row.int64(4) != 0 { return row.string(6) }
      selectBody.bind(zone.number, at: 1)
      selectBody.bind(row.string(2), at: 2)
      defer { selectBody.reset() }
      var creator = ""
      if try selectBody.step() {
        try selectBody.withBytes(0) { creator = try codec.decodeRecord($0).creator }
      }
      return creator
    }
  }

  /// Offers the change in a row.
  private func offer(
    _ row: any SQLStatement,
    _ request: ZoneFeedRequest,
    _ zone: Zone,
    _ budget: inout FeedBudget,
    _ take: (ZoneChange, _ bytes: Int, inout FeedBudget) throws -> Bool
  ) throws -> Bool {
    guard row.int64(4) == 0 else {
      let (name, type) = (row.string(2), row.string(3))
      let bytes = name.utf8.count + type.utf8.count
      return try take(.deleted(recordName: name, recordType: type), bytes, &budget)
    }
    var isTaken = false
    func offer(_ body: UnsafeRawBufferPointer) throws {
      guard let keys = request.desiredKeys else {
        isTaken = try take(.saved(body), body.count, &budget)
        return
      }
      try keeping(keys, of: body).withUnsafeBytes { body in
        isTaken = try take(.saved(body), body.count, &budget)
      }
    }
    guard !request.recordTypes.isEmpty else {
      try row.withBytes(5, offer)
      return isTaken
    }
    selectBody.bind(zone.number, at: 1)
    selectBody.bind(row.string(2), at: 2)
    defer { selectBody.reset() }
    if try selectBody.step() { try selectBody.withBytes(0, offer) }
    return isTaken
  }

  /// The encoded record with some of its fields only.
  func keeping(
    _ keys: Set<String>,
    of body: UnsafeRawBufferPointer
  ) throws
    -> [UInt8]
  {
    var record = try codec.decodeRecord(body)
    record.fields = RecordFields(record.fields.sorted.filter { keys.contains($0.name) })
    return codec.encode(record)
  }

  /// The newest mark of a device that came up to a number of a zone; empty: there is none.
  func mark(
    of caller: Caller,
    in zone: Int64,
    upTo sequence: Int64
  ) throws(SQLError)
    -> [UInt8]
  {
    guard !caller.user.isEmpty else { return [] }
    selectMark.bind(zone, at: 1)
    selectMark.bind(caller.user, at: 2)
    selectMark.bind(caller.device, at: 3)
    selectMark.bind(sequence, at: 4)
    defer { selectMark.reset() }
    return try selectMark.step() ? selectMark.bytes(0) : []
  }
}
