internal import TidingsModel
internal import TidingsSQL

/// The rows of complete assets and of the records that name them.
///
/// An asset that no record names is *released*; it stays for a while, so that an upload can be
/// followed by a save, and is then collected.
final class AssetTable: RecordFollower {
  private let select: any SQLStatement
  private let insert: any SQLStatement
  private let insertReference: any SQLStatement
  private let deleteReference: any SQLStatement
  private let retain: any SQLStatement
  private let release: any SQLStatement
  private let releaseZone: any SQLStatement
  private let deleteZoneReferences: any SQLStatement

  init(_ connection: any SQLConnection) throws {
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
    insertReference = try connection.prepare(
      """
      INSERT INTO asset_references (database_id, checksum, zone_id, name) VALUES (?1, ?2, ?3, ?4)
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
    releaseZone = try connection.prepare(
      """
      UPDATE assets SET released = ?3 WHERE database_id = ?1
        AND checksum IN (SELECT checksum FROM asset_references WHERE zone_id = ?2)
        AND NOT EXISTS (
          SELECT 1 FROM asset_references AS other
          WHERE other.database_id = ?1 AND other.checksum = assets.checksum AND other.zone_id <> ?2
        )
      """
    )
    deleteZoneReferences = try connection.prepare(
      "DELETE FROM asset_references WHERE zone_id = ?1"
    )
  }

  /// Makes an asset known whose file is complete; one that no record names is released from now on.
  func add(_ asset: Asset, to database: DatabaseEntry, at time: Timestamp) throws(SQLError) {
    insert.bind(database.number, at: 1)
    insert.bind(asset.checksum, at: 2)
    insert.bind(Int64(clamping: asset.size), at: 3)
    insert.bind(time.millisecondsSince1970, at: 4)
    try insert.run()
  }

  /// Takes what a participant's record names newly from where the participant uploaded it.
  ///
  /// That the owner has it already does not count: who knows a checksum does not get the content.
  ///
  /// - Throws: `ItemError` `assetNotAvailable`; `SQLError`.
  func adopt(
    _ new: Record,
    replacing old: Record?,
    from uploads: DatabaseEntry?,
    to database: DatabaseEntry,
    at time: Timestamp
  ) throws {
    guard new.namesAssets else { return }
    let known = old?.assets ?? []
    try new.forEachAsset { asset, field in
      guard !known.contains(asset) else { return }
      guard let uploads, try has(asset, in: uploads) else {
        throw ItemError(
          .assetNotAvailable,
          "record '\(new.recordID.recordName)', field '\(field)': the asset "
            + "\(asset.checksum.hexadecimal) is not in your shared database: upload it there first, "
            + "then save the record"
        )
      }
      guard try !has(asset, in: database) else { return }
      try add(asset, to: database, at: time)
    }
  }

  private func has(_ asset: Asset, in database: DatabaseEntry) throws(SQLError) -> Bool {
    select.bind(database.number, at: 1)
    select.bind(asset.checksum, at: 2)
    defer { select.reset() }
    return try select.step() && Int64(exactly: asset.size) == select.int64(0)
  }

  // MARK: RecordFollower

  func check(
    _ new: Record,
    replacing old: Record?,
    in zone: ZoneEntry,
    of database: DatabaseEntry
  ) throws {
    guard new.namesAssets else { return }
    var known = old?.assets ?? []
    try new.forEachAsset { asset, field in
      guard known.insert(asset).inserted else { return }
      try check(asset, field: field, of: new, in: database)
    }
  }

  private func check(
    _ asset: Asset,
    field: String,
    of record: Record,
    in database: DatabaseEntry
  ) throws {
    select.bind(database.number, at: 1)
    select.bind(asset.checksum, at: 2)
    defer { select.reset() }
    let place =
      "record '\(record.recordID.recordName)', field '\(field)': the asset "
      + asset.checksum.hexadecimal
    guard try select.step() else {
      throw ItemError(
        .assetNotAvailable,
        "\(place) is not in this database: upload it first, then save the record"
      )
    }
    let size = select.int64(0)
    guard Int64(exactly: asset.size) == size else {
      throw ItemError(
        .invalidArguments,
        "\(place) has \(size) bytes, not \(asset.size): use the size that was uploaded"
      )
    }
  }

  func follow(_ write: RecordPlan.Write, in database: DatabaseEntry, at time: Timestamp) throws {
    let hadAssets = write.old?.namesAssets ?? false
    guard hadAssets || write.new?.namesAssets ?? false else { return }
    let before = write.old?.assetChecksums ?? []
    let after = write.new?.assetChecksums ?? []
    for checksum in after.subtracting(before) {
      bind(checksum, of: write, in: database, to: insertReference)
      try insertReference.run()
      retain.bind(database.number, at: 1)
      retain.bind(checksum, at: 2)
      try retain.run()
    }
    for checksum in before.subtracting(after) {
      bind(checksum, of: write, in: database, to: deleteReference)
      try deleteReference.run()
      release.bind(database.number, at: 1)
      release.bind(checksum, at: 2)
      release.bind(time.millisecondsSince1970, at: 3)
      try release.run()
    }
  }

  func followRemoval(of zone: ZoneEntry, in database: DatabaseEntry, at time: Timestamp) throws {
    releaseZone.bind(database.number, at: 1)
    releaseZone.bind(zone.number, at: 2)
    releaseZone.bind(time.millisecondsSince1970, at: 3)
    try releaseZone.run()
    deleteZoneReferences.bind(zone.number, at: 1)
    try deleteZoneReferences.run()
  }

  private func bind(
    _ checksum: [UInt8],
    of write: RecordPlan.Write,
    in database: DatabaseEntry,
    to statement: any SQLStatement
  ) {
    statement.bind(database.number, at: 1)
    statement.bind(checksum, at: 2)
    statement.bind(write.zone.number, at: 3)
    statement.bind(write.name, at: 4)
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
