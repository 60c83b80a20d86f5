internal import TidingsModel
internal import TidingsSQL

extension ModifyRecords {
  /// Writes what was decided.
  func apply(
    _ plan: RecordPlan,
    _ scene: Scene,
    mark: [UInt8]
  ) throws -> [CascadedDeletion] {
    var taken: [ZoneEntry] = []
    for (position, write) in plan.writes.enumerated() {
      if !taken.contains(where: { $0 === write.zone }) {
        let sequence = tables.catalog.advance(write.zone)
        precondition(sequence == write.row.sequence, "the zone moved between planning and writing")
        taken.append(write.zone)
      }
      try apply(write, at: position, scene)
      try tables.schemas.learn(write.discovery, of: write.row.recordType, in: scene.database.id)
    }
    for write in plan.writes { try fire(write, scene) }

    // What goes along may be much: it is not held in memory together.
    var cascaded: [CascadedDeletion] = []
    for (offset, cascade) in plan.cascades.enumerated() {
      let write = try write(for: cascade, among: taken)
      try apply(write, at: plan.writes.count + offset, scene)
      try fire(write, scene)
      cascaded.append(CascadedDeletion(cascade, write.row.recordType))
    }
    if !mark.isEmpty {
      for zone in taken {
        try tables.clientTokens.keep(
          mark,
          of: scene.stamp.caller,
          in: zone,
          at: scene.stamp.timestamp
        )
      }
    }
    return cascaded
  }

  private func apply(_ write: RecordPlan.Write, at position: Int, _ scene: Scene) throws {
    var row = write.row
    row.previous = try write.replaced.map {
      try tables.ancestors.append($0, at: scene.stamp.timestamp)
    }
    try tables.records.write(
      row,
      name: write.name,
      position: position,
      in: write.zone,
      replacing: write.replaced,
      at: scene.stamp.timestamp
    )
    for follower in tables.followers {
      try follower.follow(write, in: scene.database, at: scene.stamp.timestamp)
    }
  }

  private func fire(_ write: RecordPlan.Write, _ scene: Scene) throws {
    try tables.events.fire(
      old: write.old,
      new: write.new,
      zone: write.zone.id,
      in: scene.database
    )
  }

  private func write(
    for cascade: ReferencePlan.Cascade,
    among zones: [ZoneEntry]
  ) throws -> RecordPlan.Write {
    let name = cascade.recordID.recordName
    guard let zone = zones.first(where: { $0.id == cascade.recordID.zoneID }),
      let row = try tables.records.row(name, in: zone), let body = row.body
    else { throw missingSource(name) }
    return RecordPlan.Write(
      item: nil,
      zone: zone,
      name: name,
      row: RecordTable.Row(sequence: zone.head, recordType: row.recordType, body: nil),
      replaced: row,
      old: try body.withUnsafeBytes { try codec.decodeRecord($0) },
      new: nil,
      discovery: SchemaDiscovery()
    )
  }

  private func missingSource(_ name: String) -> SQLError {
    SQLError(.damaged, "the record '\(name)' refers to another one and is missing")
  }

  /// What would go along, without a write.
  func foretell(_ plan: RecordPlan, _ scene: Scene) throws -> [CascadedDeletion] {
    try plan.cascades.map { cascade in
      let name = cascade.recordID.recordName
      guard let zone = try tables.catalog.zone(cascade.recordID.zoneID, in: scene.database),
        let type = try tables.records.recordType(name, in: zone)
      else { throw missingSource(name) }
      return CascadedDeletion(cascade, type)
    }
  }
}

extension CascadedDeletion {
  fileprivate init(_ cascade: ReferencePlan.Cascade, _ recordType: String) {
    self.init(recordID: cascade.recordID, recordType: recordType, target: cascade.target)
  }
}
