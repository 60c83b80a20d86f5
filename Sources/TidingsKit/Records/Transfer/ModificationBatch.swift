internal import TidingsProto
internal import TidingsProtobuf

/// What goes into one call.
struct ModificationBatch: Sendable {
  /// A record as it is sent.
  struct Save: Sendable {
    let record: CKRecord
    /// Its contents when it was sent.
    let sent: CKRecord.Contents
    let wire: TidingsV1.Record

    /// The database knows the files now: they are not sent to it again.
    func rememberAssets(in database: CKDatabase) {
      let location = database.location(of: sent.recordID.zoneID.wire)
      for (key, field) in wire.fields {
        let stored: [TidingsV1.Asset]
        switch field.value {
        case .assetValue(let asset)?: stored = [asset]
        case .assetListValue(let list)?: stored = list.values
        default: continue
        }
        for (asset, known) in zip(sent.values[key]?.assets ?? [], stored) {
          asset.remember(.init(asset: known, location: location))
        }
      }
    }
  }

  var saves: [Save] = []
  var deletions: [CKRecord.ID] = []

  var count: Int { saves.count + deletions.count }

  /// Splits what is too much for one call; what must succeed or fail together stays together.
  static func split(
    _ saves: [Save],
    _ deletions: [CKRecord.ID],
    isAtomic: Bool,
    in scope: CKDatabase.Scope
  ) -> [ModificationBatch] {
    let whole = ModificationBatch(saves: saves, deletions: deletions)
    let parts = whole.parts()
    guard isAtomic, parts.count > 1 else { return parts }
    // Zones are atomic each by itself, and default zones are not.
    var zones: [CKRecordZone.ID] = []
    var byZone: [CKRecordZone.ID: ModificationBatch] = [:]
    for save in saves {
      if byZone[save.sent.recordID.zoneID] == nil { zones.append(save.sent.recordID.zoneID) }
      byZone[save.sent.recordID.zoneID, default: .init()].saves.append(save)
    }
    for id in deletions {
      if byZone[id.zoneID] == nil { zones.append(id.zoneID) }
      byZone[id.zoneID, default: .init()].deletions.append(id)
    }
    return zones.compactMap { byZone[$0] }.flatMap {
      $0.isDivisible(in: scope) ? $0.parts() : [$0]
    }
  }

  /// No zone of it is atomic.
  private func isDivisible(in scope: CKDatabase.Scope) -> Bool {
    !saves.contains { $0.sent.recordID.zoneID.isAtomic(in: scope) }
      && !deletions.contains { $0.zoneID.isAtomic(in: scope) }
  }

  private func parts() -> [ModificationBatch] {
    var parts: [ModificationBatch] = []
    var part = ModificationBatch()
    var size = 0
    for save in saves {
      let saveBytes = save.wire.encoded().count
      let isFull =
        part.count == RecordModification.itemsPerCallMax
        || size + saveBytes > RecordModification.bytesPerCallMax
      if isFull, part.count > 0 {
        parts.append(part)
        (part, size) = (.init(), 0)
      }
      part.saves.append(save)
      size += saveBytes
    }
    for id in deletions {
      if part.count == RecordModification.itemsPerCallMax {
        parts.append(part)
        part = .init()
      }
      part.deletions.append(id)
    }
    return part.count == 0 ? parts : parts + [part]
  }

  /// Two smaller calls; `nil` when it cannot be split.
  func halves(
    isAtomic: Bool,
    in scope: CKDatabase.Scope
  ) -> (ModificationBatch, ModificationBatch)? {
    guard !isAtomic || isDivisible(in: scope), count > 1 else { return nil }
    let middle = count / 2
    let first = ModificationBatch(
      saves: Array(saves.prefix(middle)),
      deletions: Array(deletions.prefix(max(0, middle - saves.count)))
    )
    let second = ModificationBatch(
      saves: Array(saves.dropFirst(middle)),
      deletions: Array(deletions.dropFirst(max(0, middle - saves.count)))
    )
    return (first, second)
  }
}
