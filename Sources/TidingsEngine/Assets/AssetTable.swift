internal import TidingsCodec
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

  /// The assets that a record names newly.
  struct Named {
    /// What the database does not have yet, and has from the write of the record on.
    var adopted: [Asset] = []
    /// What the database's owner pays for already, because no record names it.
    var redeemed: [Asset] = []
  }

  private let publicAssets: PublicAssets
  private let usage: UsageTable
  private let catalog: Catalog
  private let contents: (any AssetContents)?
  private let wakeUp: WakeUpFlag
  private let pace: Pace
  private let select: any SQLStatement
  private let selectReclaimable: any SQLStatement
  private let reclaim: any SQLStatement
  private let insert: any SQLStatement
  private let insertUpload: any SQLStatement
  private let insertReference: any SQLStatement
  private let deleteReference: any SQLStatement
  private let retain: any SQLStatement
  private let release: any SQLStatement
  private let selectOfZone: any SQLStatement

  init(
    _ connection: any SQLConnection,
    codec: BodyCodec,
    usage: UsageTable,
    catalog: Catalog,
    contents: (any AssetContents)?,
    wakeUp: WakeUpFlag,
    pace: Pace
  ) throws {
    (self.usage, self.catalog, self.contents) = (usage, catalog, contents)
    (self.wakeUp, self.pace) = (wakeUp, pace)
    publicAssets = try PublicAssets(connection, codec: codec)
    select = try connection.prepare(
      "SELECT size, released, payer FROM assets WHERE database_id = ?1 AND checksum = ?2"
    )
    insert = try connection.prepare(
      """
      INSERT INTO assets (database_id, checksum, size, released, payer) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (database_id, checksum) DO UPDATE SET
        size = excluded.size,
        payer = excluded.payer,
        was_named = 0,
        released = CASE WHEN assets.released IS NULL THEN NULL ELSE excluded.released END
      """
    )
    selectReclaimable = try connection.prepare(
      """
      SELECT database_id, checksum, size FROM assets
      WHERE payer = ?1 AND released IS NOT NULL AND was_named = 1 ORDER BY released LIMIT ?2
      """
    )
    // It is collected at once: it was released when the store's time began.
    reclaim = try connection.prepare(
      "UPDATE assets SET released = 0, payer = NULL WHERE database_id = ?1 AND checksum = ?2"
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
      RETURNING size, payer
      """
    )
    release = try connection.prepare(
      """
      UPDATE assets SET released = ?3, payer = ?4, was_named = 1
      WHERE database_id = ?1 AND checksum = ?2
        AND NOT EXISTS (
          SELECT 1 FROM asset_references WHERE database_id = ?1 AND checksum = ?2
        )
      RETURNING size
      """
    )
    selectOfZone = try connection.prepare(
      "SELECT checksum, name FROM asset_references WHERE zone_id = ?1 LIMIT ?2"
    )
  }

  /// The content of an asset stays, because a row is about to name it; whether there is any, which always is if it is
  /// in files.
  func claimContent(of asset: Asset) throws(SQLError) -> Bool {
    guard let contents else { return true }
    return try contents.claim(asset.checksum)
  }

  /// Makes an asset known whose content was claimed; one that no record names is released from now on.
  ///
  /// - Parameters:
  ///   - asset: The asset.
  ///   - database: The database.
  ///   - user: Who sent it.
  ///   - time: When.
  /// - Throws: `SQLError`.
  func add(
    _ asset: Asset,
    to database: DatabaseEntry,
    by user: String,
    at time: SteadyTime
  ) throws(SQLError) {
    let size = Int64(clamping: asset.size)
    let payer = database.id.owner.isEmpty ? user : database.id.owner
    let known = try row(asset, in: database)
    if known?.isReleased ?? true {
      if let known { try pay(-known.size, known.payer, in: database) }
      try pay(size, payer, in: database)
    }
    insert.bind(database.number, at: 1)
    insert.bind(asset.checksum, at: 2)
    insert.bind(size, at: 3)
    insert.bind(time.milliseconds, at: 4)
    insert.bind(payer, at: 5)
    try insert.run()
  }

  /// Whether the database has an asset for which somebody pays.
  func isPaid(_ asset: Asset, in database: DatabaseEntry) throws(SQLError) -> Bool {
    guard let row = try row(asset, in: database) else { return false }
    return !row.isReleased || row.payer != nil
  }

  /// Most assets that are reclaimed at once.
  private static let reclaimedMax: Int64 = 1_000

  /// Lets assets go that records named, and none names any more, so that there is room.
  ///
  /// - Parameters:
  ///   - bytes: How much room is missing.
  ///   - database: Whose owner needs it.
  ///   - kept: Assets that stay.
  /// - Throws: `SQLError`.
  func reclaim(_ bytes: Int64, of database: DatabaseEntry, keeping kept: Set<[UInt8]>) throws {
    try reclaim(bytes, of: database.id.owner, in: database.id.container, keeping: kept)
  }

  /// Lets assets of a user go that records named, and none names any more, so that there is room.
  func reclaim(_ bytes: Int64, of user: String) throws {
    try reclaim(bytes, of: user, in: "", keeping: [])
  }

  private func reclaim(
    _ bytes: Int64,
    of payer: String,
    in container: String,
    keeping kept: Set<[UInt8]>
  ) throws {
    var found: [(database: Int64, checksum: [UInt8], size: Int64)] = []
    selectReclaimable.bind(payer, at: 1)
    selectReclaimable.bind(Self.reclaimedMax, at: 2)
    try selectReclaimable.forEachRow {
      found.append(
        (
          selectReclaimable.int64(0), selectReclaimable.bytes(1), selectReclaimable.int64(2)
        )
      )
    }
    var missing = bytes
    for asset in found where missing > 0 && !kept.contains(asset.checksum) {
      let database = try catalog.database(numbered: asset.database)
      // The public databases of other containers have accounts of their own.
      guard !payer.isEmpty || database.id.container == container else { continue }
      reclaim.bind(asset.database, at: 1)
      reclaim.bind(asset.checksum, at: 2)
      try reclaim.run()
      try pay(-asset.size, payer, in: database)
      missing -= asset.size
      wakeUp.raise()
    }
  }

  /// Counts an asset that no record names.
  private func pay(_ bytes: Int64, _ payer: String?, in database: DatabaseEntry) throws(SQLError) {
    guard let payer else { return }
    try usage.add(bytes, to: payer, in: database.id.container)
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
  /// - Returns: What it names newly.
  /// - Throws: `ItemError` `assetNotAvailable`, `invalidArguments` for another size; `LongCall`; `SQLError`.
  func check(
    _ new: Record,
    replacing old: Record?,
    from source: @autoclosure () -> Source,
    in database: DatabaseEntry
  ) throws -> Named {
    guard new.namesAssets else { return Named() }
    let source = source()
    var (known, named) = (old?.assets ?? [], Named())
    try new.forEachAsset { asset, field in
      guard known.insert(asset).inserted else { return }
      try pace.decisionStep()
      let row = try row(asset, from: source, in: database)
      if row?.size == Int64(exactly: asset.size) {
        if case .uploads = source {
          if try self.row(asset, in: database) == nil { named.adopted.append(asset) }
        } else if row?.isReleased == true, row?.payer == database.id.owner {
          named.redeemed.append(asset)
        }
        return
      }
      let location =
        "record '\(new.recordID.recordName)', field '\(field)': the asset "
        + asset.checksum.hexadecimal
      guard let row else {
        throw ItemError(.assetNotAvailable, "\(location) \(source.lack), then save the record")
      }
      throw ItemError(
        .invalidArguments,
        "\(location) has \(row.size) bytes, not \(asset.size): use the size that was uploaded"
      )
    }
    return named
  }

  private struct Row {
    let size: Int64
    let isReleased: Bool
    let payer: String?
  }

  /// The row of an asset that a caller may name; `nil`: to the caller it is not there.
  private func row(
    _ asset: Asset,
    from source: Source,
    in database: DatabaseEntry
  ) throws -> Row? {
    switch source {
    case .database: return try row(asset, in: database)
    case .uploads(let uploads): return try uploads.flatMap { try row(asset, in: $0) }
    case .readable(let access):
      guard let row = try row(asset, in: database) else { return nil }
      let claim = try publicAssets.claim(
        asset.checksum,
        inDatabase: database.number,
        of: access.user
      ) { try access.rights(on: $0).readable }
      return claim == nil ? nil : row
    }
  }

  private func row(_ asset: Asset, in database: DatabaseEntry) throws(SQLError) -> Row? {
    select.bind(database.number, at: 1)
    select.bind(asset.checksum, at: 2)
    defer { select.reset() }
    guard try select.step() else { return nil }
    return Row(
      size: select.int64(0),
      isReleased: !select.isNull(1),
      payer: select.isNull(2) ? nil : select.string(2)
    )
  }

  // MARK: RecordFollower

  func follow(_ write: RecordPlan.Write, in database: DatabaseEntry, of call: CallContext) throws {
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
      try retain.forEachRow {
        try pay(-retain.int64(0), retain.isNull(1) ? nil : retain.string(1), in: database)
      }
      pace.step()
    }
    for checksum in before.subtracting(after) {
      try removeReference(
        checksum,
        write.zone.number,
        write.name,
        in: database,
        at: call.steady
      )
      pace.step()
    }
  }

  /// A reference and the asset, for each that it names.
  func rowCount(following write: RecordPlan.Write, in database: DatabaseEntry) -> Int {
    2 * ((write.old?.assetCount ?? 0) + (write.new?.assetCount ?? 0))
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
  ) throws {
    bind(checksum, zone, name, in: database, to: deleteReference)
    try deleteReference.run()
    release.bind(database.number, at: 1)
    release.bind(checksum, at: 2)
    release.bind(time.milliseconds, at: 3)
    release.bind(database.id.owner, at: 4)
    try release.forEachRow { try pay(release.int64(0), database.id.owner, in: database) }
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
    fields.compound.contains { field in
      switch field.value {
      case .asset, .assetList: true
      default: false
      }
    }
  }

  fileprivate var assetCount: Int {
    fields.compound.reduce(0) { count, field in
      switch field.value {
      case .asset: count + 1
      case .assetList(let assets): count + assets.count
      default: count
      }
    }
  }

  fileprivate func forEachAsset(_ body: (Asset, _ field: String) throws -> Void) rethrows {
    for field in fields.compound {
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

  var assetChecksums: Set<[UInt8]> { Set(assets.map(\.checksum)) }

  /// Bytes of the assets that it names, each once.
  var assetBytes: Int64 {
    guard namesAssets else { return 0 }
    return assets.reduce(0) { $0 + Int64(clamping: $1.size) }
  }
}
