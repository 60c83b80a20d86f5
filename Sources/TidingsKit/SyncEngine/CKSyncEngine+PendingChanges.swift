extension CKSyncEngine {
  /// A change of a record that is to be sent.
  public enum PendingRecordZoneChange: Hashable, Sendable, CustomStringConvertible {
    /// The record is to be saved.
    case saveRecord(CKRecord.ID)
    /// The record is to be deleted.
    case deleteRecord(CKRecord.ID)

    /// What is to be done with which record.
    public var description: String {
      switch self {
      case .saveRecord(let id): "saveRecord(\(id))"
      case .deleteRecord(let id): "deleteRecord(\(id))"
      }
    }
  }

  /// A change of a zone that is to be sent.
  public enum PendingDatabaseChange: Hashable, Sendable, CustomStringConvertible {
    /// The zone is to be created.
    case saveZone(CKRecordZone)
    /// The zone is to be deleted, with its records.
    case deleteZone(CKRecordZone.ID)

    /// Changes are equal when they do the same with zones of the same identity.
    public static func == (lhs: Self, rhs: Self) -> Bool {
      switch (lhs, rhs) {
      case (.saveZone, .saveZone), (.deleteZone, .deleteZone): lhs.item == rhs.item
      default: false
      }
    }

    /// Of the kind of change and the zone's identity.
    public func hash(into hasher: inout Hasher) {
      if case .saveZone = self { hasher.combine(true) }
      hasher.combine(item)
    }

    /// What is to be done with which zone.
    public var description: String {
      switch self {
      case .saveZone(let zone): "saveZone(\(zone.zoneID))"
      case .deleteZone(let id): "deleteZone(\(id))"
      }
    }
  }
}

extension CKSyncEngine.PendingRecordZoneChange: PendingChange {
  /// Saves a record, as code from before the release names it.
  public static func save(_ recordID: CKRecord.ID) -> Self { .saveRecord(recordID) }
  /// Deletes a record, as code from before the release names it.
  public static func delete(_ recordID: CKRecord.ID) -> Self { .deleteRecord(recordID) }

  var item: CKRecord.ID {
    switch self {
    case .saveRecord(let id), .deleteRecord(let id): id
    }
  }
}

extension CKSyncEngine.PendingDatabaseChange: PendingChange {
  /// Creates a zone, as code from before the release names it.
  public static func save(_ zone: CKRecordZone) -> Self { .saveZone(zone) }
  /// Deletes a zone, as code from before the release names it.
  public static func delete(_ zoneID: CKRecordZone.ID) -> Self { .deleteZone(zoneID) }

  var item: CKRecordZone.ID {
    switch self {
    case .saveZone(let zone): zone.zoneID
    case .deleteZone(let id): id
    }
  }
}
