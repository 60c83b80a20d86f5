internal import Foundation
internal import TidingsProto

/// A query subscription fired: a record was created, updated or deleted.
open class CKQueryNotification: CKNotification, @unchecked Sendable {
  // Nothing of it changes.

  /// What happened to the record.
  public enum Reason: Int, Sendable {
    /// It was created.
    case recordCreated = 1
    /// It was updated.
    case recordUpdated = 2
    /// It was deleted.
    case recordDeleted = 3
  }

  /// What happened to the record; a record that came to match, or no longer does, was updated.
  open var queryNotificationReason: Reason {
    switch content.wire.reason {
    case .recordCreated: .recordCreated
    case .recordDeleted: .recordDeleted
    default: .recordUpdated
    }
  }

  /// The fields that the subscription's `desiredKeys` name; none for a deletion.
  ///
  /// In a push, times are milliseconds since 1970, bytes Base64, and references the names of their
  /// records, as in CloudKit; from the log they have their types.
  open var recordFields: [CKRecord.FieldKey: any CKRecordValue]? {
    let fields = content.wire.recordFields.compactMapValues { field in
      field.value.flatMap { CKRecordContent($0).value }
    }
    return fields.isEmpty ? nil : fields
  }

  /// The record; `nil` in a push that lost it.
  open var recordID: CKRecord.ID? {
    guard let id = content.wire.recordID, !id.recordName.isEmpty else { return nil }
    return CKRecord.ID(id)
  }

  /// The database that the record is in.
  open var databaseScope: CKDatabase.Scope { content.scope }
  /// The record is in the public database.
  open var isPublicDatabase: Bool { content.scope == .public }
}

/// What happened to a record, as older code names it.
public typealias CKQueryNotificationReason = CKQueryNotification.Reason

/// A zone subscription fired: something in the zone changed.
open class CKRecordZoneNotification: CKNotification, @unchecked Sendable {
  // Nothing of it changes.

  /// The zone; `nil` in a push that lost it.
  open var recordZoneID: CKRecordZone.ID? { content.wire.recordID?.zoneID.map { .init($0) } }
  /// The database that the zone is in.
  open var databaseScope: CKDatabase.Scope { content.scope }
}

/// A database subscription fired: something in the database changed.
open class CKDatabaseNotification: CKNotification, @unchecked Sendable {
  // Nothing of it changes.

  /// The database.
  open var databaseScope: CKDatabase.Scope { content.scope }
}
