internal import TidingsModel
internal import TidingsSQL

/// The zones of a database that changed after a token, each once at its newest number, and those that
/// are gone; oldest change first.
final class DatabaseFeed {
  private let identity: StoreIdentity
  private let limits: Limits
  private let selectFloor: any SQLStatement
  private let selectChanges: any SQLStatement

  init(_ connection: any SQLConnection, identity: StoreIdentity, limits: Limits) throws {
    self.identity = identity
    self.limits = limits
    selectFloor = try connection.prepare("SELECT feed_floor FROM databases WHERE id = ?1")
    // PostgreSQL merges what is sorted and has the same types, and otherwise sorts everything for each page.
    selectChanges = try connection.prepare(
      """
      SELECT * FROM (
        SELECT changed, name, CAST(0 AS BIGINT) AS reason FROM zones
        WHERE database_id = ?1 AND changed > ?2 ORDER BY changed
      ) AS present
      UNION ALL
      SELECT * FROM (
        SELECT changed, name, reason FROM deleted_zones
        WHERE database_id = ?1 AND changed > ?2 ORDER BY changed
      ) AS gone
      ORDER BY 1
      """,
      inPagesBy: PageKey(.integer(2, column: 0))
    )
  }

  /// Makes one page.
  ///
  /// - Parameters:
  ///   - id: The database.
  ///   - entry: The same in the store; `nil`: nothing was ever written to it.
  ///   - token: What the last page returned; empty: from the beginning.
  ///   - budget: What the call may return.
  /// - Returns: The page.
  /// - Throws: `ItemError`: `changeTokenExpired`, `invalidArguments`; `SQLError`.
  func page(
    _ id: DatabaseID,
    _ entry: DatabaseEntry?,
    after token: [UInt8],
    budget: FeedBudget
  ) throws -> DatabasePage {
    let purpose = "database changes\0" + id.purpose
    var position = try position(token, entry, purpose)
    var page = DatabasePage()
    if let entry {
      page.moreComing = try !walk(entry, &position, budget, &page)
    }
    page.changeToken = SealedToken.seal(position.numbers, for: purpose, identity)
    return page
  }

  private func position(
    _ token: [UInt8],
    _ entry: DatabaseEntry?,
    _ purpose: String
  ) throws -> FeedPosition {
    let head = entry?.head ?? 0
    guard !token.isEmpty else { return .beginning(head: head) }
    let holder = "the zones of this database and user"
    let numbers = try SealedToken.open(token, for: purpose, identity, holder: holder)
    guard let position = FeedPosition(numbers[...]) else { throw SealedToken.foreign(holder) }
    guard max(position.covered, position.born) <= head else {
      throw ItemError.tokenFromTheFuture("the database")
    }
    guard try !position.isExpired(floor: floor(entry)) else {
      throw ItemError.tokenExpired(
        "the change token of the database is too old: deletions of zones are forgotten after "
          + limits.tombstoneRetention.shown
      )
    }
    return position
  }

  private func floor(_ entry: DatabaseEntry?) throws(SQLError) -> Int64 {
    guard let entry else { return 0 }
    selectFloor.bind(entry.number, at: 1)
    defer { selectFloor.reset() }
    return try selectFloor.step() ? selectFloor.int64(0) : 0
  }

  /// - Returns: Whether the end was reached.
  private func walk(
    _ entry: DatabaseEntry,
    _ position: inout FeedPosition,
    _ budget: FeedBudget,
    _ page: inout DatabasePage
  ) throws(SQLError) -> Bool {
    var budget = budget
    let born = position.born
    let rows = selectChanges
    rows.bind(entry.number, at: 1)
    rows.bind(position.sequence, at: 2)
    defer { rows.reset() }
    while try rows.step() {
      let number = rows.int64(0)
      let name = rows.string(1)
      let reason = ZoneDeletionReason(rawValue: Int32(truncatingIfNeeded: rows.int64(2)))
      guard budget.rows > 0 else { return false }
      budget.rows -= 1
      if reason == nil || number > born {
        guard budget.take(bytes: name.utf8.count) else { return false }
        let zone = ZoneID(zoneName: name)
        if let reason {
          page.deletedZones.append(.init(zone: zone, reason: reason))
        } else {
          page.changedZones.append(zone)
        }
      }
      position.move(to: number, nil)
    }
    position.move(to: entry.head, nil)
    return true
  }
}

extension DatabaseID {
  /// The database in the purpose of a token.
  var purpose: String { "\(container)\0\(environment.rawValue)\0\(scope.rawValue)\0\(owner)" }
}
