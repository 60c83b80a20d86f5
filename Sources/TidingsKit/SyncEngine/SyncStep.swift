/// What a run does next, in order.
enum SyncStep: Sendable {
  /// Changes the progress, in the same moment as the next step begins.
  case apply(@Sendable (inout SyncProgress) -> Void)
  /// Notifies the program of an event.
  case tell(CKSyncEngine.Event)
  /// Reports the state, as of all reported events, if it changed.
  case tellState
  /// Asks the server or the program.
  case ask(SyncQuestion)
  /// Reports a failure to waiting callers.
  case finish([UInt64], CKError)
  /// The run is over.
  case end(CKError?)
}

/// What is asked of the server or the program; each has its answer.
enum SyncQuestion: Sendable {
  case user
  case databaseChanges(after: [UInt8])
  case fetchOptions(CKSyncEngine.FetchChangesContext)
  case zoneChanges(CKRecordZone.ID, after: [UInt8])
  case modifyZones(saving: [CKRecordZone], deleting: [CKRecordZone.ID], key: String)
  case batch(CKSyncEngine.SendChangesContext)
  case modifyRecords(CKSyncEngine.RecordZoneChangeBatch)
}

/// What was answered.
enum SyncAnswer: Sendable {
  /// The record name of the user; `nil`: there is none.
  case user(Result<String?, CKError>)
  case databaseChanges(Result<DatabasePage, CKError>)
  case fetchOptions(CKSyncEngine.FetchChangesOptions)
  case zoneChanges(Result<ZonePage, CKError>)
  case modifiedZones(CKSyncEngine.Event.SentDatabaseChanges)
  case batch(CKSyncEngine.RecordZoneChangeBatch?)
  case modifiedRecords(CKSyncEngine.Event.SentRecordZoneChanges)

  /// A page of a database's feed.
  struct DatabasePage: Sendable {
    var changed: [CKRecordZone.ID] = []
    var deleted: [CKDatabase.DatabaseChange.Deletion] = []
    var token: [UInt8]
    var moreComing = false
  }

  /// A page of a zone's feed.
  struct ZonePage: Sendable {
    var saved: [CKRecord] = []
    var deleted: [CKDatabase.RecordZoneChange.Deletion] = []
    var token: [UInt8]
    var moreComing = false
  }
}

extension CKError {
  /// The engine tries again by itself, and what failed stays pending.
  var isRetriedBySyncEngine: Bool {
    switch code {
    case .notAuthenticated, .accountTemporarilyUnavailable, .networkFailure, .networkUnavailable,
      .requestRateLimited, .serviceUnavailable, .zoneBusy, .operationCancelled,
      .serverResponseLost:
      true
    default: false
    }
  }

  /// When to come again, if the server said so.
  var retryAfter: Duration? { retryAfterSeconds.map { .seconds(min(max($0, 0), 1e9)) } }

  /// Whether the user has to be looked at again.
  var isAboutTheAccount: Bool {
    code == .notAuthenticated || code == .accountTemporarilyUnavailable
  }
}
