public import TidingsProto

extension Oracle {
  /// What ModifyRecordZones answers for a zone to save, and does; see `endCall(by:)`.
  public mutating func saveZone(_ name: String, in database: Database) -> TidingsV1.ZoneResult {
    guard database.owner != nil || name == Self.defaultZone else {
      return .init(zoneID: .init(zoneName: name), outcome: .error(.init(.badDatabase)))
    }
    if zones[database]?[name] == nil {
      create(name, in: database)
      if name != Self.defaultZone { note(name, in: database) { $0.isCreated = true } }
    }
    return fetchZone(name, in: database)
  }

  /// What ModifyRecordZones answers for a zone to delete, and does; see `endCall(by:)`.
  public mutating func deleteZone(
    _ name: String,
    in database: Database,
    because reason: TidingsV1.ZoneDeletionReason = .deleted,
    by caller: Caller
  )
    -> TidingsV1.ZoneResult
  {
    let id = TidingsV1.ZoneID(zoneName: name)
    guard name != Self.defaultZone else {
      return .init(zoneID: id, outcome: .error(.init(.badDatabase)))
    }
    guard let zone = zones[database]?[name] else {
      return .init(zoneID: id, outcome: .error(.init(absence(of: name, in: database))))
    }
    let rows = zone.rows.values.sorted { ($0.sequence, $0.position) < ($1.sequence, $1.position) }
    for case let record? in rows.map(\.record) {
      fire(record, nil, zone: name, in: database, by: caller)
    }
    note(name, in: database) { $0.isDeleted = true }
    zoneFloors[database] = max(zoneFloors[database, default: 0], zone.head)
    zones[database]?[name] = nil
    graves[database, default: [:]][name] = Grave(
      changed: advance(database),
      reason: reason == .unspecified ? .deleted : reason
    )
    return .init(zoneID: id, outcome: .deleted(true))
  }

  mutating func create(_ name: String, in database: Database) {
    lives += 1
    graves[database]?[name] = nil
    zones[database, default: [:]][name] = Zone(
      head: zoneFloors[database, default: 0],
      changed: advance(database),
      life: name == Self.defaultZone ? 0 : lives
    )
  }

  /// What FetchRecordZones answers for all zones.
  public func fetchZones(in database: Database) -> [TidingsV1.ZoneResult] {
    Set(zones[database, default: [:]].keys).union([Self.defaultZone]).sorted()
      .map { fetchZone($0, in: database) }
  }

  private func fetchZone(_ name: String, in database: Database) -> TidingsV1.ZoneResult {
    let id = TidingsV1.ZoneID(zoneName: name)
    let canBeShared = database.owner != nil && name != Self.defaultZone
    return .init(
      zoneID: id,
      outcome: .zone(
        .init(
          zoneID: id,
          capabilities: .init(
            fetchChanges: true,
            atomic: canBeShared,
            sharing: canBeShared,
            zoneWideSharing: canBeShared
          ),
          sequenceNumber: zone(name, in: database)?.head ?? 0
        )
      )
    )
  }
}
