internal import TidingsCodec
public import TidingsModel
public import TidingsSQL

/// Which assets are there, as committed; for threads beside the loop, on a connection of their own.
public final class AssetLookup {
  /// A complete asset of a database.
  public struct Row: Hashable, Sendable {
    /// Bytes.
    public let size: UInt64
    /// Since when no record names it; `nil`: one does.
    public let released: SteadyTime?
  }

  /// An asset that a caller may have.
  public struct Holding: Hashable, Sendable {
    /// The asset's row.
    public let row: Row
    /// The caller sent its bytes to the database; else the caller may read a record that names it.
    public let isUploaded: Bool
  }

  private let schemas: SchemaReader
  private let roles: RoleReader
  private let publicAssets: PublicAssets
  private let select: any SQLStatement
  private let selectShares: any SQLStatement
  private let selectReferences: any SQLStatement
  private let selectAny: any SQLStatement

  /// A lookup in a store that an engine has opened.
  ///
  /// - Throws: `SQLError`.
  public init(_ connection: any SQLConnection) throws {
    // It serves one call, or those of one thread: the schema that it used last is enough.
    schemas = try SchemaReader(connection, bytesMax: 0)
    roles = try RoleReader(connection)
    publicAssets = try PublicAssets(connection, codec: BodyCodec())
    select = try connection.prepare(
      """
      SELECT size, released, database_id FROM assets WHERE checksum = ?1 AND database_id = (
        SELECT id FROM databases
        WHERE container = ?2 AND environment = ?3 AND scope = ?4 AND owner = ?5
      )
      """
    )
    selectShares = try connection.prepare(
      """
      SELECT s.database_id, s.zone_id, s.id, s.root, a.size FROM share_participants AS p
      JOIN shares AS s ON s.id = p.share_id AND s.ended IS NULL
      JOIN databases AS d
        ON d.id = s.database_id AND d.container = ?2 AND d.environment = ?3
      JOIN assets AS a ON a.database_id = s.database_id AND a.checksum = ?1
      WHERE p.user = ?4 AND p.status = 2 AND p.permission >= 2
      """
    )
    selectReferences = try connection.prepare(
      """
      SELECT h.share_id FROM asset_references AS r
      LEFT JOIN shared_records AS h ON h.zone_id = r.zone_id AND h.name = r.name AND h.gone = 0
      WHERE r.database_id = ?1 AND r.checksum = ?2 AND r.zone_id = ?3 LIMIT ?4
      """
    )
    selectAny = try connection.prepare("SELECT 1 FROM assets WHERE checksum = ?1 LIMIT 1")
  }

  /// The asset with this checksum that a caller has: need not send again, and may name in records.
  ///
  /// Of a private or shared database what was uploaded to it; of a public one what the caller
  /// uploaded, or a record names that the caller may read.
  ///
  /// - Throws: `ItemError` `badContainer`; `SQLError`.
  public func asset(
    _ checksum: [UInt8],
    in database: DatabaseID,
    of user: String
  ) throws -> Holding? {
    guard let (row, number) = try row(checksum, in: database) else { return nil }
    guard database.scope == .public else { return Holding(row: row, isUploaded: true) }
    roles.forget()
    let reading = PublicReading(
      user: user,
      container: database.container,
      try schemas.schema(of: database.container, database.environment),
      roles
    )
    let claim = try publicAssets.claim(
      checksum,
      inDatabase: number,
      of: user,
      readable: reading.readable
    )
    return claim.map { Holding(row: row, isUploaded: $0 == .upload) }
  }

  private func row(
    _ checksum: [UInt8],
    in database: DatabaseID
  ) throws(SQLError) -> (row: Row, database: Int64)? {
    select.bind(checksum, at: 1)
    select.bind(database.container, at: 2)
    select.bind(Int64(database.environment.rawValue), at: 3)
    select.bind(Int64(database.scope.rawValue), at: 4)
    select.bind(database.owner, at: 5)
    defer { select.reset() }
    guard try select.step() else { return nil }
    let row = Row(
      size: UInt64(clamping: select.int64(0)),
      released: select.isNull(1) ? nil : SteadyTime(milliseconds: select.int64(1))
    )
    return (row, select.int64(2))
  }

  /// The asset with this checksum that the caller of a call to a database may download.
  ///
  /// In a shared database besides those that the user uploaded those that a record names which others
  /// share with the user.
  ///
  /// - Throws: `ItemError` `badContainer`, `limitExceeded`; `SQLError`.
  public func readableAsset(
    _ checksum: [UInt8],
    in database: DatabaseID,
    by user: String
  ) throws -> Row? {
    if let holding = try asset(checksum, in: database, of: user) { return holding.row }
    guard database.scope == .shared else { return nil }
    let size = try sharedSize(of: checksum, in: database, with: user)
    return size.map { Row(size: UInt64(clamping: $0), released: nil) }
  }

  /// A zone in which a user has accepted shares.
  private struct NamedZone: Hashable {
    let database: Int64
    let zone: Int64
  }

  /// What a user has accepted in a zone.
  private struct Accepted {
    let size: Int64
    var isZoneWide = false
    var shares: Set<Int64> = []
  }

  /// Records of a zone, and of all zones, that name an asset and are looked at to find one that is shared with the
  /// caller.
  private static let referencesMax = 50_000
  private static let allReferencesMax = 200_000

  /// The bytes of an asset that a record names which others share with a user.
  private func sharedSize(
    of checksum: [UInt8],
    in database: DatabaseID,
    with user: String
  ) throws -> Int64? {
    var (rowsLeft, isCut) = (Self.allReferencesMax, false)
    for (zone, accepted) in try zones(with: checksum, in: database, sharedWith: user) {
      guard rowsLeft > 0 else {
        isCut = true
        break
      }
      selectReferences.bind(zone.database, at: 1)
      selectReferences.bind(checksum, at: 2)
      selectReferences.bind(zone.zone, at: 3)
      var rows = min(Self.referencesMax, rowsLeft)
      selectReferences.bind(Int64(rows + 1), at: 4)
      defer { selectReferences.reset() }
      while try selectReferences.step() {
        if accepted.isZoneWide { return accepted.size }
        if !selectReferences.isNull(0), accepted.shares.contains(selectReferences.int64(0)) {
          return accepted.size
        }
        rows -= 1
        rowsLeft -= 1
        if rows < 0 {
          isCut = true
          break
        }
      }
    }
    guard !isCut else {
      throw ItemError(
        .limitExceeded,
        "the asset \(checksum.hexadecimal): of the first \(Self.referencesMax) records of a zone, and "
          + "\(Self.allReferencesMax) of all, that name it none is shared with you, and no more are looked at: let "
          + "their owner save it in fewer records"
      )
    }
    return nil
  }

  /// The zones in which a user has accepted shares, of databases that have an asset; those that are shared as a whole
  /// first.
  private func zones(
    with checksum: [UInt8],
    in database: DatabaseID,
    sharedWith user: String
  ) throws -> [(NamedZone, Accepted)] {
    var zones: [NamedZone: Accepted] = [:]
    selectShares.bind(checksum, at: 1)
    selectShares.bind(database.container, at: 2)
    selectShares.bind(Int64(database.environment.rawValue), at: 3)
    selectShares.bind(user, at: 4)
    try selectShares.forEachRow {
      let zone = NamedZone(database: selectShares.int64(0), zone: selectShares.int64(1))
      var accepted = zones[zone] ?? Accepted(size: selectShares.int64(4))
      if selectShares.string(3).isEmpty { accepted.isZoneWide = true }
      accepted.shares.insert(selectShares.int64(2))
      zones[zone] = accepted
    }
    return zones.map { ($0.key, $0.value) }.sorted { one, other in
      guard one.1.isZoneWide == other.1.isZoneWide else { return one.1.isZoneWide }
      return one.0.zone < other.0.zone
    }
  }

  /// Any database has an asset with this checksum.
  public func isKept(_ checksum: [UInt8]) throws(SQLError) -> Bool {
    selectAny.bind(checksum, at: 1)
    defer { selectAny.reset() }
    return try selectAny.step()
  }
}
