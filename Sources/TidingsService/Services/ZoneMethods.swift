internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsZeroMQ

/// ZoneService.
struct ZoneMethods {
  let engine: Engine

  /// Registers the methods.
  func register(_ calls: GroupedCalls, on loop: LoopContext) {
    typealias Methods = TidingsV1.ZoneService.Methods
    calls.register(
      Methods.modifyRecordZones,
      .write,
      on: loop,
      keeping: .unlessRefused,
      handler: { [self] in .answered(try modifyZones($0)) }
    )
    calls.register(Methods.fetchRecordZones, .read, on: loop) { [self] in try fetchZones($0) }
  }

  /// More have the store for themselves.
  private static let zonesChangedAtOnceMax = 50

  private func modifyZones(_ call: borrowing StoreCall) throws -> CallAnswer {
    let request = try TidingsV1.ModifyRecordZonesRequest(decoding: call.body.bytes, in: call.arena)
    guard !call.caller.user.isEmpty else { throw ItemError.noUser }
    try engine.limits.check(itemCount: request.zonesToSave.count + request.zoneIDsToDelete.count)
    if !request.zonesToSave.isEmpty { try engine.requireRoomForAnswer(to: call) }
    if request.zonesToSave.count + request.zoneIDsToDelete.count > Self.zonesChangedAtOnceMax {
      try engine.pace.requirePauses()
    }
    let database = try request.databaseID.model(for: call.caller)
    let caller = call.caller
    // What names no zone is reported with its result.
    func named(_ ids: [TidingsV1.ZoneID?]) -> [ZoneID] {
      ids.compactMap { try? $0.named(in: database, for: caller) }
    }
    try engine.checkChanges(
      saving: named(request.zonesToSave.map(\.zoneID)),
      deleting: named(request.zoneIDsToDelete),
      in: database
    )
    let reason = try request.deletionReason.model

    var response = TidingsV1.ModifyRecordZonesResponse()
    var changesAnything = false
    try engine.asOneCall(by: caller) { context in
      for zone in request.zonesToSave {
        response.results.append(
          try result(of: zone.zoneID, in: database, for: caller) { id in
            let isNew = try !exists(id, in: database)
            let saved = try engine.saveZone(id, in: database, by: context)
            if isNew { changesAnything = true }
            return .zone(.init(saved, in: database))
          }
        )
        engine.pace.step()
      }
      for zoneID in request.zoneIDsToDelete {
        response.results.append(
          try result(of: zoneID, in: database, for: caller) { id in
            try engine.deleteZone(id, in: database, because: reason, by: context)
            changesAnything = true
            return .deleted(true)
          }
        )
        engine.pace.step()
      }
    }
    // Programs save their zones at each start, mostly those that are there.
    return CallAnswer(response.encoded(in: call.arena), kept: changesAnything ? .whole : .nothing)
  }

  /// Whether a zone that is to be saved is there already.
  private func exists(_ id: ZoneID, in database: DatabaseID) throws -> Bool {
    // Elsewhere no zones are created.
    guard database.scope == .private else { return true }
    do {
      _ = try engine.zone(id, in: database)
      return true
    } catch is ItemError {
      return false
    }
  }

  private func fetchZones(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.FetchRecordZonesRequest(decoding: call.body.bytes, in: call.arena)
    try engine.limits.check(itemCount: request.zoneIDs.count)
    let database = try request.databaseID.model(for: call.caller)

    var response = TidingsV1.FetchRecordZonesResponse()
    if request.zoneIDs.isEmpty {
      response.results = try engine.zones(in: database).map { zone in
        try engine.pace.decisionStep()
        return .init(zoneID: .init(zone.id), outcome: .zone(.init(zone, in: database)))
      }
    } else {
      response.results = try request.zoneIDs.map { zoneID in
        try engine.pace.decisionStep()
        return try result(of: zoneID, in: database, for: call.caller) { id in
          .zone(.init(try engine.zone(id, in: database), in: database))
        }
      }
    }
    return response.encoded(in: call.arena)
  }

  private func result(
    of zoneID: TidingsV1.ZoneID?,
    in database: DatabaseID,
    for caller: Caller,
    _ outcome: (ZoneID) throws -> TidingsV1.ZoneResult.Outcome
  ) throws -> TidingsV1.ZoneResult {
    do {
      let id = try zoneID.named(in: database, for: caller)
      return .init(zoneID: .init(id), outcome: try outcome(id))
    } catch let error as ItemError {
      return .init(zoneID: zoneID, outcome: .error(.init(error)))
    }
  }
}

extension TidingsV1.ZoneDeletionReason {
  fileprivate var model: ZoneDeletionReason {
    get throws(ItemError) {
      if self == .unspecified { return .deleted }
      guard let reason = ZoneDeletionReason(rawValue: rawValue) else {
        throw ItemError(.invalidArguments, "deletion_reason \(rawValue) is not known")
      }
      return reason
    }
  }
}

extension TidingsV1.RecordZone {
  init(_ zone: ZoneInfo, in database: DatabaseID) {
    let isCustom = zone.id.zoneName != ZoneID.default.zoneName
    let canBeShared = database.scope == .private && isCustom
    self.init(
      zoneID: .init(zone.id),
      capabilities: .init(
        fetchChanges: true,
        atomic: database.scope != .public && isCustom,
        sharing: canBeShared,
        zoneWideSharing: canBeShared
      ),
      created: zone.created.map { .init($0) },
      sequenceNumber: UInt64(clamping: zone.head)
    )
  }
}
