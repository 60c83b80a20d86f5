extension CKDatabase {
  /// What changed among the zones of a database.
  public enum DatabaseChange: Sendable {
    /// A zone was created, altered, or a record in it was changed.
    public struct Modification: Hashable, Sendable {
      /// Which zone.
      public let zoneID: CKRecordZone.ID
    }

    /// A zone is gone.
    public struct Deletion: Hashable, Sendable {
      /// Why a zone is gone.
      public enum Reason: Hashable, Sendable {
        /// A client deleted it.
        case deleted
        /// The user removed the data of the application: do not create the zone again without asking.
        case purged
        /// The user reset encrypted data: create the zone again and save what is cached.
        case encryptedDataReset
      }

      /// Which zone.
      public let zoneID: CKRecordZone.ID
      /// Why.
      public let reason: Reason

      /// The user removed the data of the application.
      public var purged: Bool { reason == .purged }
    }
  }

  /// What changed among the records of a zone.
  public enum RecordZoneChange: Sendable {
    /// A record was saved.
    public struct Modification: Hashable, Sendable {
      /// The record as it is now.
      public let record: CKRecord
    }

    /// A record was deleted.
    public struct Deletion: Hashable, Sendable {
      /// Which record.
      public let recordID: CKRecord.ID
      /// Its type.
      public let recordType: CKRecord.RecordType
    }
  }
}
