internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

/// Adds existing records to declared indexes, and removes the entries of dropped ones, a few
/// milliseconds at a time.
///
/// How far it came is in the store: a crash costs one piece.
final class IndexBuilder: MaintenanceTask {
  /// Rows of records that one piece looks at: a few milliseconds.
  private static let rowsPerPiece = 400
  /// Entries that one piece removes.
  private static let removalsPerPiece = 500
  /// Entries that one piece adds; the last record may have more.
  private static let entriesPerPiece = 1_000
  /// Bytes of records that one piece decodes.
  private static let bytesPerPiece = 2 << 20

  private let registry: IndexRegistry
  private let entries: IndexEntries
  private let codec: BodyCodec
  private let selectRecords: any SQLStatement
  private let selectZones: any SQLStatement

  init(
    _ connection: any SQLConnection,
    registry: IndexRegistry,
    entries: IndexEntries,
    codec: BodyCodec
  ) throws {
    self.registry = registry
    self.entries = entries
    self.codec = codec
    selectRecords = try connection.prepare(
      """
      SELECT name, sequence, record_type = ?3, body FROM records
      WHERE zone_id = ?1 AND name > ?2 ORDER BY name
      """,
      inPagesBy: PageKey(.text(2, column: 0))
    )
    // CROSS JOIN: in the order of the zones, not over all databases of the container each time.
    selectZones = try connection.prepare(
      """
      SELECT zones.id, container = ?1 AND environment = ?2
      FROM zones CROSS JOIN databases ON databases.id = zones.database_id
      WHERE zones.id > ?3 ORDER BY zones.id LIMIT \(Self.rowsPerPiece)
      """
    )
  }

  func work(at moment: Moment) throws -> Duration {
    guard let index = registry.unfinished.first else { return .seconds(3600) }
    switch index.state {
    case .building: try build(index)
    case .beingRemoved: try remove(index)
    case .ready, .removed: preconditionFailure("an index that is finished is not unfinished")
    }
    return .zero
  }

  private func build(_ index: DeclaredIndex) throws {
    let zone = index.built.zone
    // The zone may be gone, and its number another container's.
    if zone > 0, case .found(zone) = try nextZone(after: zone - 1, of: index.type) {
      let (last, isDone) = try addRecords(to: index)
      if !isDone { return try registry.moveOn(index, to: (zone, last)) }
    }
    switch try nextZone(after: zone, of: index.type) {
    case .found(let next), .noneUpTo(let next): try registry.moveOn(index, to: (next, ""))
    case .none: try registry.finishBuilding(index)
    }
  }

  /// What a look at the next zones gave.
  private enum NextZone {
    case found(Int64)
    /// Some belong to other containers; there may be more.
    case noneUpTo(Int64)
    case none
  }

  /// Adds the next records of the zone at hand.
  ///
  /// - Returns: The last name looked at, and whether the zone has no more.
  private func addRecords(to index: DeclaredIndex) throws -> (last: String, isDone: Bool) {
    let rows = selectRecords
    var (last, count, bytes, added) = (index.built.name, 0, 0, 0)
    rows.bind(index.built.zone, at: 1)
    rows.bind(last, at: 2)
    rows.bind(index.type.recordType, at: 3)
    defer { rows.reset() }
    while bytes < Self.bytesPerPiece, added < Self.entriesPerPiece, count < Self.rowsPerPiece {
      guard try rows.step() else { return (last, true) }
      last = rows.string(0)
      count += 1
      guard rows.int64(2) != 0, !rows.isNull(3) else { continue }
      let location = IndexEntries.Location(
        zone: index.built.zone,
        name: last,
        sequence: rows.int64(1)
      )
      try rows.withBytes(3) { body in
        bytes += body.count
        let record = try codec.decodeRecord(body)
        for key in FieldIndex.keys(of: record, in: index) {
          try entries.add(key, of: location, to: index)
          added += 1
        }
      }
    }
    return (last, false)
  }

  private func nextZone(after zone: Int64, of type: RecordTypeKey) throws(SQLError) -> NextZone {
    selectZones.bind(type.container, at: 1)
    selectZones.bind(Int64(type.environment.rawValue), at: 2)
    selectZones.bind(zone, at: 3)
    defer { selectZones.reset() }
    var (last, count) = (zone, 0)
    while try selectZones.step() {
      last = selectZones.int64(0)
      if selectZones.int64(1) != 0 { return .found(last) }
      count += 1
    }
    return count < Self.rowsPerPiece ? .none : .noneUpTo(last)
  }

  private func remove(_ index: DeclaredIndex) throws {
    let count = try entries.removeSome(of: index, limit: Self.removalsPerPiece)
    if count < Self.removalsPerPiece { try registry.finishRemoval(of: index) }
  }
}
