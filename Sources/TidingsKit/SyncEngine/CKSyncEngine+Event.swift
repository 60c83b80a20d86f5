extension CKSyncEngine {
  /// What happens while the engine works.
  public enum Event: Sendable {
    /// The state changed: keep it, together with the effects of earlier events.
    case stateUpdate(StateUpdate)
    /// Another user is there, or none.
    case accountChange(AccountChange)
    /// Zones changed.
    case fetchedDatabaseChanges(FetchedDatabaseChanges)
    /// Records changed.
    case fetchedRecordZoneChanges(FetchedRecordZoneChanges)
    /// Changes of zones were sent.
    case sentDatabaseChanges(SentDatabaseChanges)
    /// Changes of records were sent.
    case sentRecordZoneChanges(SentRecordZoneChanges)
    /// Fetching begins.
    case willFetchChanges(WillFetchChanges)
    /// Fetching the records of a zone begins.
    case willFetchRecordZoneChanges(WillFetchRecordZoneChanges)
    /// Fetching the records of a zone ended.
    case didFetchRecordZoneChanges(DidFetchRecordZoneChanges)
    /// Fetching ended.
    case didFetchChanges(DidFetchChanges)
    /// Sending begins.
    case willSendChanges(WillSendChanges)
    /// Sending ended.
    case didSendChanges(DidSendChanges)
  }
}

extension CKSyncEngine.Event {
  /// The state changed: keep it.
  public struct StateUpdate: Sendable {
    /// The state, as of all events before this one.
    public let stateSerialization: CKSyncEngine.State.Serialization
  }

  /// The user changed or signed out: the state was emptied before this event.
  public struct AccountChange: Sendable {
    /// What changed.
    public let changeType: ChangeType

    /// How the user changed.
    public enum ChangeType: Hashable, Sendable {
      /// There is a user; before there was none. What was pending stays.
      case signIn(currentUser: CKRecord.ID)
      /// There is no user any more: drop what is cached.
      case signOut(previousUser: CKRecord.ID)
      /// There is another user: drop what is cached.
      case switchAccounts(previousUser: CKRecord.ID, currentUser: CKRecord.ID)
    }
  }

  /// Zones changed.
  public struct FetchedDatabaseChanges: Sendable {
    /// Zones that were created, altered, or in which records changed.
    public let modifications: [CKDatabase.DatabaseChange.Modification]
    /// Zones that are gone: drop what is cached of them.
    ///
    /// A zone whose changes are no longer known is reported here, too, and then all its records: what has
    /// pending changes may be kept.
    public let deletions: [CKDatabase.DatabaseChange.Deletion]
  }

  /// Records changed.
  public struct FetchedRecordZoneChanges: Sendable {
    /// Records that were saved.
    public let modifications: [CKDatabase.RecordZoneChange.Modification]
    /// Records that were deleted.
    public let deletions: [CKDatabase.RecordZoneChange.Deletion]
  }

  /// Changes of zones were sent.
  public struct SentDatabaseChanges: Sendable {
    /// A zone that was not saved.
    public struct FailedZoneSave: Sendable {
      /// Which one.
      public let zone: CKRecordZone
      /// Why.
      public let error: CKError
    }

    /// Zones that were saved.
    public let savedZones: [CKRecordZone]
    /// Zones that were not.
    public let failedZoneSaves: [FailedZoneSave]
    /// Zones that were deleted.
    public let deletedZoneIDs: [CKRecordZone.ID]
    /// Zones that were not, and why.
    public let failedZoneDeletes: [CKRecordZone.ID: CKError]
  }

  /// Changes of records were sent.
  ///
  /// What failed for a reason that goes away by itself stays pending, and so does what failed because
  /// of another record of an atomic batch; the rest is no longer pending: fix it, and add it again.
  public struct SentRecordZoneChanges: Sendable {
    /// A record that was not saved.
    public struct FailedRecordSave: Sendable {
      /// As it was to be saved.
      public let record: CKRecord
      /// Why.
      public let error: CKError
    }

    /// Records that were saved: keep their system fields.
    public let savedRecords: [CKRecord]
    /// Records that were not.
    public let failedRecordSaves: [FailedRecordSave]
    /// Records that were deleted.
    public let deletedRecordIDs: [CKRecord.ID]
    /// Records that were not, and why.
    public let failedRecordDeletes: [CKRecord.ID: CKError]
  }

  /// Fetching begins.
  public struct WillFetchChanges: Sendable {
    /// Why and what.
    public let context: CKSyncEngine.FetchChangesContext
  }

  /// Fetching the records of a zone begins.
  public struct WillFetchRecordZoneChanges: Sendable {
    /// Which zone.
    public let zoneID: CKRecordZone.ID
  }

  /// Fetching the records of a zone ended; reported once for each beginning.
  public struct DidFetchRecordZoneChanges: Sendable {
    /// Which zone.
    public let zoneID: CKRecordZone.ID
    /// Why not all was fetched.
    public let error: CKError?
  }

  /// Fetching ended; reported once for each beginning.
  public struct DidFetchChanges: Sendable {
    /// Why and what.
    public let context: CKSyncEngine.FetchChangesContext
  }

  /// Sending begins.
  public struct WillSendChanges: Sendable {
    /// Why and what.
    public let context: CKSyncEngine.SendChangesContext
  }

  /// Sending ended; reported once for each beginning.
  public struct DidSendChanges: Sendable {
    /// Why and what.
    public let context: CKSyncEngine.SendChangesContext
  }
}

extension CKSyncEngine.Event: CustomStringConvertible {
  /// Its name, and its size.
  public var description: String {
    switch self {
    case .stateUpdate: "stateUpdate"
    case .accountChange(let event): "accountChange(\(event.changeType))"
    case .fetchedDatabaseChanges(let event):
      "fetchedDatabaseChanges(\(event.modifications.count) changed, \(event.deletions.count) deleted)"
    case .fetchedRecordZoneChanges(let event):
      "fetchedRecordZoneChanges(\(event.modifications.count) saved, \(event.deletions.count) deleted)"
    case .sentDatabaseChanges(let event):
      "sentDatabaseChanges(\(event.savedZones.count) saved, \(event.deletedZoneIDs.count) deleted, "
        + "\(event.failedZoneSaves.count + event.failedZoneDeletes.count) failed)"
    case .sentRecordZoneChanges(let event):
      "sentRecordZoneChanges(\(event.savedRecords.count) saved, "
        + "\(event.deletedRecordIDs.count) deleted, "
        + "\(event.failedRecordSaves.count + event.failedRecordDeletes.count) failed)"
    case .willFetchChanges(let event): "willFetchChanges(\(event.context))"
    case .willFetchRecordZoneChanges(let event): "willFetchRecordZoneChanges(\(event.zoneID))"
    case .didFetchRecordZoneChanges(let event):
      "didFetchRecordZoneChanges(\(event.zoneID)\(event.error.map { ", \($0.code)" } ?? ""))"
    case .didFetchChanges(let event): "didFetchChanges(\(event.context))"
    case .willSendChanges(let event): "willSendChanges(\(event.context))"
    case .didSendChanges(let event): "didSendChanges(\(event.context))"
    }
  }
}
