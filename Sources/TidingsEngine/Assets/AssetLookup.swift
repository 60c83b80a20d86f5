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
  private let selectShared: any SQLStatement
  private let selectAny: any SQLStatement

  /// A lookup in a store that an engine has opened.
  ///
  /// - Throws: `SQLError`.
  public init(_ connection: any SQLConnection) throws {
    schemas = try SchemaReader(connection)
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
    selectShared = try connection.prepare(
      """
      SELECT a.size FROM share_participants AS p
      JOIN shares AS s ON s.id = p.share_id AND s.ended IS NULL
      JOIN databases AS d
        ON d.id = s.database_id AND d.container = ?2 AND d.environment = ?3
      JOIN assets AS a ON a.database_id = s.database_id AND a.checksum = ?1
      WHERE p.user = ?4 AND p.status = 2 AND p.permission >= 2 AND EXISTS (
        SELECT 1 FROM asset_references AS r
        WHERE r.database_id = s.database_id AND r.checksum = ?1 AND r.zone_id = s.zone_id AND (
          s.root = '' OR EXISTS (
            SELECT 1 FROM shared_records AS h
            WHERE h.share_id = s.id AND h.name = r.name AND h.gone = 0
          )
        )
      )
      LIMIT 1
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
  /// - Throws: `ItemError` `badContainer`; `SQLError`.
  public func readableAsset(
    _ checksum: [UInt8],
    in database: DatabaseID,
    by user: String
  ) throws -> Row? {
    if let holding = try asset(checksum, in: database, of: user) { return holding.row }
    guard database.scope == .shared else { return nil }
    selectShared.bind(checksum, at: 1)
    selectShared.bind(database.container, at: 2)
    selectShared.bind(Int64(database.environment.rawValue), at: 3)
    selectShared.bind(user, at: 4)
    defer { selectShared.reset() }
    guard try selectShared.step() else { return nil }
    return Row(size: UInt64(clamping: selectShared.int64(0)), released: nil)
  }

  /// Any database has an asset with this checksum.
  public func isKept(_ checksum: [UInt8]) throws(SQLError) -> Bool {
    selectAny.bind(checksum, at: 1)
    defer { selectAny.reset() }
    return try selectAny.step()
  }
}
