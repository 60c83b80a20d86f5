internal import TidingsModel
internal import TidingsSQL

/// The rows of complete assets and of the records that name them.
///
/// An asset that no record names is *released*; it stays for a while, so that an upload can be
/// followed by a save, and is then collected.
final class AssetTable: RecordFollower {
  /// Where a caller's records may take assets from.
  enum Source {
    /// All of the database, which is the caller's own.
    case database
    /// What the caller of a public database uploaded, or may read.
    case readable(PublicAccess)
    /// What a participant uploaded to the shared database.
    case uploads(DatabaseEntry?)
  }

  private let publicAssets: PublicAssets
  private let select: any SQLStatement
  private let insert: any SQLStatement
  private let insertUpload: any SQLStatement
  private let insertReference: any SQLStatement
  private let deleteReference: any SQLStatement
  private let retain: any SQLStatement
  private let release: any SQLStatement
  private let selectOfZone: any SQLStatement

  init(_ connection: any SQLConnection, codec: any BodyCodec) throws {
    publicAssets = try PublicAssets(connection, codec: codec)
    select = try connection.prepare(
      "SELECT size FROM assets WHERE database_id = ?1 AND checksum = ?2"
    )
    insert = try connection.prepare(
      """
      INSERT INTO assets (database_id, checksum, size, released) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT (database_id, checksum) DO UPDATE SET
        size = excluded.size,
        released = CASE WHEN assets.released IS NULL THEN NULL ELSE excluded.released END
      """
    )
    insertUpload = try connection.prepare(
      """
      INSERT INTO asset_uploads (database_id, checksum, user) VALUES (?1, ?2, ?3)
      ON CONFLICT DO NOTHING
      """
    )
    insertReference = try connection.prepare(
      """
      INSERT INTO asset_references (database_id, checksum, zone_id, name, record_type, creator)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT DO NOTHING
      """
    )
    deleteReference = try connection.prepare(
      """
      DELETE FROM asset_references
      WHERE database_id = ?1 AND checksum = ?2 AND zone_id = ?3 AND name = ?4
      """
    )
    retain = try connection.prepare(
      """
      UPDATE assets SET released = NULL
      WHERE database_id = ?1 AND checksum = ?2 AND released IS NOT NULL
      """
    )
    release = try connection.prepare(
      """
      UPDATE assets SET released = ?3 WHERE database_id = ?1 AND checksum = ?2
        AND NOT EXISTS (
          SELECT 1 FROM asset_references WHERE database_id = ?1 AND checksum = ?2
        )
      """
    )
    selectOfZone = try connection.prepare(
      "SELECT checksum, name FROM asset_references WHERE zone_id = ?1 LIMIT ?2"
    )
  }

  /// Makes an asset known whose file is complete; one that no record names is released from now on.
  func add(_ asset: Asset, to database: DatabaseEntry, at time: SteadyTime) throws(SQLError) {
    insert.bind(database.number, at: 1)
    insert.bind(asset.checksum, at: 2)
    insert.bind(Int64(clamping: asset.size), at: 3)
    insert.bind(time.milliseconds, at: 4)
    try insert.run()
  }

  /// Notes who sent the bytes of an asset to a public database.
  func addUpload(_ asset: Asset, to database: DatabaseEntry, by user: String) throws(SQLError) {
    insertUpload.bind(database.number, at: 1)
    insertUpload.bind(asset.checksum, at: 2)
    insertUpload.bind(user, at: 3)
    try insertUpload.run()
  }

  /// Refuses a record that names newly what the caller cannot take from the source.
  ///
  /// That the database has it does not count: who knows a checksum does not get the content.
  ///
  /// - Returns: What the database does not have yet, and has from the write of the record on.
  /// - Throws: `ItemError` `assetNotAvailable`, `invalidArguments` for another size; `SQLError`.
  func check(
    _ new: Record,
    replacing old: Record?,
    from source: @autoclosure () -> Source,
    in database: DatabaseEntry
  ) throws -> [Asset] {
    guard new.namesAssets else { return [] }
    let source = source()
    var (known, adopted) = (old?.assets ?? [], [] as [Asset])
    try new.forEachAsset { asset, field in
      guard known.insert(asset).inserted else { return }
      let size = try size(asset, from: source, in: database)
      if size == Int64(exactly: asset.size) {
        if case .uploads = source, try self.size(asset, in: database) == nil {
          adopted.append(asset)
        }
        return
      }
      let place =
        "record '\(new.recordID.recordName)', field '\(field)': the asset "
        + asset.checksum.hexadecimal
      guard let size else {
        throw ItemError(.assetNotAvailable, "\(place) \(source.lack), then save the record")
      }
      throw ItemError(
        .invalidArguments,
        "\(place) has \(size) bytes, not \(asset.size): use the size that was uploaded"
      )
    }
    return adopted
  }

  /// Bytes of an asset that a caller may name; `nil`: to the caller it is not there.
  private func size(
    _ asset: Asset,
    from source: Source,
    in database: DatabaseEntry
  ) throws -> Int64? {
    switch source {
    case .database: return try size(asset, in: database)
    case .uploads(let uploads): return try uploads.flatMap { try size(asset, in: $0) }
    case .readable(let access):
      guard let size = try size(asset, in: database) else { return nil }
      let claim = try publicAssets.claim(
        asset.checksum,
        inDatabase: database.number,
        of: access.user
      ) { try access.rights(on: $0).readable }
      return claim == nil ? nil : size
    }
  }

  private func size(_ asset: Asset, in database: DatabaseEntry) throws(SQLError) -> Int64? {
    select.bind(database.number, at: 1)
    select.bind(asset.checksum, at: 2)
    defer { select.reset() }
    return try select.step() ? select.int64(0) : nil
  }

  // MARK: RecordFollower

  func follow(_ write: RecordPlan.Write, in database: DatabaseEntry, at time: SteadyTime) throws {
    let hadAssets = write.old?.namesAssets ?? false
    guard hadAssets || write.new?.namesAssets ?? false else { return }
    let before = write.old?.assetChecksums ?? []
    let after = write.new?.assetChecksums ?? []
    let isPublic = database.id.scope == .public
    for checksum in after.subtracting(before) {
      bind(checksum, write.zone.number, write.name, in: database, to: insertReference)
      insertReference.bind(isPublic ? write.row.recordType : nil, at: 5)
      insertReference.bind(isPublic ? write.new?.creator ?? "" : nil, at: 6)
      try insertReference.run()
      retain.bind(database.number, at: 1)
      retain.bind(checksum, at: 2)
      try retain.run()
    }
    for checksum in before.subtracting(after) {
      try removeReference(checksum, write.zone.number, write.name, in: database, at: time)
    }
  }

  func removeRows(of zone: DeletedZone, limit: Int, at time: SteadyTime) throws -> Int {
    var rows: [(checksum: [UInt8], name: String)] = []
    selectOfZone.bind(zone.number, at: 1)
    selectOfZone.bind(Int64(limit), at: 2)
    try selectOfZone.forEachRow {
      rows.append((selectOfZone.bytes(0), selectOfZone.string(1)))
    }
    for row in rows {
      try removeReference(row.checksum, zone.number, row.name, in: zone.database, at: time)
    }
    return rows.count
  }

  private func removeReference(
    _ checksum: [UInt8],
    _ zone: Int64,
    _ name: String,
    in database: DatabaseEntry,
    at time: SteadyTime
  ) throws(SQLError) {
    bind(checksum, zone, name, in: database, to: deleteReference)
    try deleteReference.run()
    release.bind(database.number, at: 1)
    release.bind(checksum, at: 2)
    release.bind(time.milliseconds, at: 3)
    try release.run()
  }

  private func bind(
    _ checksum: [UInt8],
    _ zone: Int64,
    _ name: String,
    in database: DatabaseEntry,
    to statement: any SQLStatement
  ) {
    statement.bind(database.number, at: 1)
    statement.bind(checksum, at: 2)
    statement.bind(zone, at: 3)
    statement.bind(name, at: 4)
  }
}

extension AssetTable.Source {
  /// What an asset lacks that is not there.
  fileprivate var lack: String {
    switch self {
    case .database: "is not in this database: upload it first"
    case .readable:
      "is not in this database, or not for you: upload it first, even if others did"
    case .uploads: "is not in your shared database: upload it there first"
    }
  }
}

extension Record {
  /// Whether any field names an asset.
  fileprivate var namesAssets: Bool {
    fields.sorted.contains { field in
      switch field.value {
      case .asset, .assetList: true
      default: false
      }
    }
  }

  fileprivate func forEachAsset(_ body: (Asset, _ field: String) throws -> Void) rethrows {
    for field in fields.sorted {
      switch field.value {
      case .asset(let asset): try body(asset, field.name)
      case .assetList(let assets): for asset in assets { try body(asset, field.name) }
      default: break
      }
    }
  }

  fileprivate var assets: Set<Asset> {
    var assets: Set<Asset> = []
    forEachAsset { asset, _ in assets.insert(asset) }
    return assets
  }

  fileprivate var assetChecksums: Set<[UInt8]> { Set(assets.map(\.checksum)) }

  /// Bytes of the assets that it names, each once.
  var assetBytes: Int64 {
    guard namesAssets else { return 0 }
    return assets.reduce(0) { $0 + Int64(clamping: $1.size) }
  }
}
