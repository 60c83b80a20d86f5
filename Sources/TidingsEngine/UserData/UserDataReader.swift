internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

/// Reads what is stored for a user, a page at a time, each bounded by rows, bytes and time.
final class UserDataReader {
  static let rowsPerPage = 100
  private static let bytesPerPage = 512 << 10
  /// Each may have a megabyte.
  private static let sharesPerPage = 4
  /// The same of records: PostgreSQL returns those of a page at once, at most 64 MiB.
  private static let recordsPerPage = 64

  private let catalog: Catalog
  private let codec: BodyCodec
  private let bodies: EventBodies
  private let visibility: NotificationVisibility
  private let sql: LazyStatements

  init(
    _ connection: any SQLConnection,
    catalog: Catalog,
    codec: BodyCodec,
    bodies: EventBodies,
    visibility: NotificationVisibility
  ) {
    (self.catalog, self.codec) = (catalog, codec)
    (self.bodies, self.visibility) = (bodies, visibility)
    sql = LazyStatements(connection)
  }

  /// Adds what a page shows of a kind, and moves the position behind it.
  ///
  /// - Returns: Whether there may be more of the kind.
  func add(
    _ position: inout UserDataPosition,
    of user: String,
    to page: inout UserDataPage,
    share: (StoredShare) throws -> ShareInfo?,
    shares: ShareReader
  ) throws -> Bool {
    switch position.kind {
    case .account, .devices, .webTokens, .deliveryTargets: false
    case .directory: try addDirectoryEntries(&position, user, &page)
    case .zones: try addZones(&position, user, &page)
    case .records: try addRecords(&position, user, &page)
    case .publicRecords: try addPublicRecords(&position, user, &page)
    case .subscriptions: try addSubscriptions(&position, user, &page)
    case .notifications: try addNotifications(&position, user, &page)
    case .shares: try addShares(&position, user, &page, share, shares)
    case .assets: try addAssets(&position, user, &page)
    }
  }

  private func addDirectoryEntries(
    _ position: inout UserDataPosition,
    _ user: String,
    _ page: inout UserDataPage
  ) throws -> Bool {
    var count = 0
    let row = try sql(
      """
      SELECT container, environment, display_name, email, phone FROM directory_entries
      WHERE user = ?1 AND (environment > ?2 OR (environment = ?2 AND container > ?3))
      ORDER BY environment, container LIMIT \(Self.rowsPerPage)
      """,
      .text(user),
      .number(position.number),
      .text(position.name)
    )
    try row.forEachRow {
      count += 1
      (position.number, position.name) = (row.int64(1), row.string(0))
      guard let environment = Environment(rawValue: Int32(truncatingIfNeeded: row.int64(1))) else {
        return
      }
      let database = DatabaseID(
        container: row.string(0),
        environment: environment,
        scope: .public,
        owner: ""
      )
      let entry = DirectoryEntry(
        displayName: row.string(2),
        emailAddress: row.isNull(3) ? nil : row.string(3),
        phoneNumber: row.isNull(4) ? nil : row.string(4)
      )
      page.items.append(.init(database: database, content: .directoryEntry(entry)))
    }
    return count == Self.rowsPerPage
  }

  private func addZones(
    _ position: inout UserDataPosition,
    _ user: String,
    _ page: inout UserDataPage
  ) throws -> Bool {
    var found: [(zone: Int64, database: Int64, name: String)] = []
    let row = try sql(
      """
      SELECT z.id, z.database_id, z.name FROM databases d JOIN zones z ON z.database_id = d.id
      WHERE d.owner = ?1 AND z.id > ?2 ORDER BY z.id LIMIT \(Self.rowsPerPage)
      """,
      .text(user),
      .number(position.number)
    )
    try row.forEachRow { found.append((row.int64(0), row.int64(1), row.string(2))) }
    for zone in found {
      position.number = zone.zone
      let database = try catalog.database(numbered: zone.database)
      guard let entry = try catalog.zone(ZoneID(zoneName: zone.name), in: database) else {
        continue
      }
      let created = entry.id == .default ? nil : entry.created
      let info = ZoneInfo(id: entry.id, created: created, head: entry.head)
      page.items.append(.init(database: database.id, content: .zone(info, in: database.id)))
    }
    return found.count == Self.rowsPerPage
  }

  private func addRecords(
    _ position: inout UserDataPosition,
    _ user: String,
    _ page: inout UserDataPage
  ) throws -> Bool {
    let zone = try sql(
      """
      SELECT z.id, z.database_id FROM databases d JOIN zones z ON z.database_id = d.id
      WHERE d.owner = ?1 AND z.id >= ?2 ORDER BY z.id LIMIT 1
      """,
      .text(user),
      .number(position.number)
    )
    var location: (zone: Int64, database: Int64)?
    try zone.forEachRow { location = (zone.int64(0), zone.int64(1)) }
    guard let location else { return false }
    if location.zone != position.number { (position.number, position.name) = (location.zone, "") }
    let database = try catalog.database(numbered: location.database).id
    let row = try sql(
      """
      SELECT name, body FROM records WHERE zone_id = ?1 AND name > ?2 ORDER BY name
      LIMIT \(Self.recordsPerPage)
      """,
      .number(location.zone),
      .text(position.name)
    )
    var (bytes, count) = (0, 0)
    defer { row.reset() }
    while bytes < Self.bytesPerPage, try row.step() {
      count += 1
      position.name = row.string(0)
      guard !row.isNull(1) else { continue }
      let body = row.bytes(1)
      bytes += body.count
      page.items.append(.init(database: database, content: .record(body)))
    }
    if count < Self.recordsPerPage, bytes < Self.bytesPerPage {
      (position.number, position.name) = (location.zone + 1, "")
    }
    return true
  }

  private func addPublicRecords(
    _ position: inout UserDataPosition,
    _ user: String,
    _ page: inout UserDataPage
  ) throws -> Bool {
    let name = Array(user.utf8)
    var found: [(database: Int64, body: [UInt8])] = []
    var (bytes, count) = (0, 0)
    let end = ContinuousClock.now.advanced(by: .milliseconds(2))
    let row = try sql(
      """
      SELECT r.id, z.database_id, r.body FROM records r JOIN zones z ON z.id = r.zone_id
        JOIN databases d ON d.id = z.database_id
      WHERE r.id > ?1 AND d.scope = \(DatabaseScope.public.rawValue) ORDER BY r.id
      LIMIT \(Self.recordsPerPage)
      """,
      .number(position.number)
    )
    defer { row.reset() }
    var isCut = false
    while try row.step() {
      count += 1
      position.number = row.int64(0)
      row.withBytes(2) { body in
        if SecretEraser.occurs(name, in: body) {
          found.append((row.int64(1), [UInt8](body)))
          bytes += body.count
        }
      }
      isCut = bytes > Self.bytesPerPage || (count.isMultiple(of: 16) && end < .now)
      if isCut { break }
    }
    row.reset()
    for (database, body) in found {
      let record = try body.withUnsafeBytes { try codec.decodeRecord($0) }
      guard record.creator == user else { continue }
      let id = try catalog.database(numbered: database).id
      page.items.append(.init(database: id, content: .record(body)))
    }
    return isCut || count == Self.recordsPerPage
  }

  private func addSubscriptions(
    _ position: inout UserDataPosition,
    _ user: String,
    _ page: inout UserDataPage
  ) throws -> Bool {
    var found: [(database: Int64, body: [UInt8])] = []
    var bytes = 0
    let row = try sql(
      """
      SELECT id, database_id, body FROM memberships
      WHERE owner = ?1 AND ended IS NULL AND id > ?2 ORDER BY id LIMIT \(Self.rowsPerPage)
      """,
      .text(user),
      .number(position.number)
    )
    defer { row.reset() }
    while bytes < Self.bytesPerPage, try row.step() {
      position.number = row.int64(0)
      found.append((row.int64(1), row.bytes(2)))
      bytes += found.last?.body.count ?? 0
    }
    row.reset()
    for (database, body) in found {
      let id = try catalog.database(numbered: database).id
      page.items.append(.init(database: id, content: .subscription(body)))
    }
    return found.count == Self.rowsPerPage || bytes >= Self.bytesPerPage
  }

  /// Notifications of the next subscription, ended ones too.
  private func addNotifications(
    _ position: inout UserDataPosition,
    _ user: String,
    _ page: inout UserDataPage
  ) throws -> Bool {
    let row = try sql(
      """
      SELECT id, database_id, subscription_id, channel_id, since, coalesce(ended, \(Int64.max))
      FROM memberships WHERE owner = ?1 AND id >= ?2 ORDER BY id LIMIT 1
      """,
      .text(user),
      .number(position.number)
    )
    var subscription:
      (id: Int64, database: Int64, name: String, channel: Int64, since: Int64, end: Int64)?
    try row.forEachRow {
      subscription = (
        row.int64(0), row.int64(1), row.string(2), row.int64(3), row.int64(4), row.int64(5)
      )
    }
    guard let subscription else { return false }
    if subscription.id != position.number {
      (position.number, position.name) = (subscription.id, "")
    }
    let events = try sql(
      """
      SELECT sequence, body, content, creator FROM events
      WHERE channel_id = ?1 AND sequence > ?2 AND sequence <= ?3 ORDER BY sequence
      LIMIT \(Self.rowsPerPage)
      """,
      .number(subscription.channel),
      .number(max(subscription.since, Int64(position.name) ?? 0)),
      .number(subscription.end)
    )
    var found: [(sequence: Int64, body: [UInt8], content: Int64, creator: String)] = []
    try events.forEachRow {
      found.append(
        (
          events.int64(0), events.bytes(1), events.int64(2),
          events.isNull(3) ? "" : events.string(3)
        )
      )
    }
    let database = try catalog.database(numbered: subscription.database).id
    let visible = try visibility.visible(subscription.channel, to: user)
    var bytes = 0
    for event in found {
      // The rest is read again for the next page.
      guard bytes < Self.bytesPerPage else { return true }
      position.name = "\(event.sequence)"
      guard visible.shows(creator: { event.creator }) else { continue }
      let id = NotificationID(channel: subscription.channel, sequence: event.sequence)
      let body = try bodies.body(event.body, of: subscription.channel, content: event.content)
      bytes += body.count
      page.items.append(
        .init(
          database: database,
          content: .notification(
            id: id.description,
            subscriptionID: subscription.name,
            body: body
          )
        )
      )
    }
    if found.count < Self.rowsPerPage {
      (position.number, position.name) = (subscription.id + 1, "")
    }
    return true
  }

  private func addShares(
    _ position: inout UserDataPosition,
    _ user: String,
    _ page: inout UserDataPage,
    _ info: (StoredShare) throws -> ShareInfo?,
    _ shares: ShareReader
  ) throws -> Bool {
    var numbers: [Int64] = []
    let row = try sql(
      """
      SELECT p.share_id FROM share_participants p
      JOIN shares s ON s.id = p.share_id AND s.ended IS NULL
      WHERE p.user = ?1 AND p.share_id > ?2 AND p.status < 3 ORDER BY p.share_id
      LIMIT \(Self.sharesPerPage)
      """,
      .text(user),
      .number(position.number)
    )
    try row.forEachRow { numbers.append(row.int64(0)) }
    for number in numbers {
      position.number = number
      guard let share = try shares.share(numbered: number), share.owner != user,
        let info = try info(share)
      else { continue }
      page.items.append(.init(database: info.database, content: .share(info)))
    }
    return numbers.count == Self.sharesPerPage
  }

  private func addAssets(
    _ position: inout UserDataPosition,
    _ user: String,
    _ page: inout UserDataPage
  ) throws -> Bool {
    let row = try sql(
      """
      SELECT a.database_id, a.checksum, a.size FROM databases d JOIN assets a ON a.database_id = d.id
      WHERE d.owner = ?1 AND (a.database_id > ?2 OR (a.database_id = ?2 AND a.checksum > ?3))
      ORDER BY a.database_id, a.checksum LIMIT \(Self.rowsPerPage)
      """,
      .text(user),
      .number(position.number),
      .bytes([UInt8](hexadecimal: position.name) ?? [])
    )
    var found: [(database: Int64, asset: Asset)] = []
    try row.forEachRow {
      let asset = Asset(checksum: row.bytes(1), size: UInt64(clamping: row.int64(2)))
      found.append((row.int64(0), asset))
    }
    for (database, asset) in found {
      let id = try catalog.database(numbered: database).id
      page.items.append(.init(database: id, content: .asset(asset)))
      (position.number, position.name) = (database, asset.checksum.hexadecimal)
    }
    return found.count == Self.rowsPerPage
  }
}
