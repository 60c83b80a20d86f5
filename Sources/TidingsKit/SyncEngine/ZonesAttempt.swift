internal import TidingsRPC

/// Changes of zones that are sent together, once or more often.
///
/// An attempt without an answer may have taken effect, and is made again as it was, with its key: another device may have
/// created a deleted zone again since. What is added meanwhile goes with the next one.
struct ZonesAttempt: Sendable {
  let changes: [CKSyncEngine.PendingDatabaseChange]
  /// When the changes were taken.
  let time: UInt64
  /// The idempotency key of the call.
  let key = CallOptions.newIdempotencyKey()

  var saving: [CKRecordZone] {
    changes.compactMap { if case .saveZone(let zone) = $0 { zone } else { nil } }
  }

  var deleting: [CKRecordZone.ID] {
    changes.compactMap { if case .deleteZone(let id) = $0 { id } else { nil } }
  }
}

extension SyncProgress {
  /// The changes of zones to send next; `nil`: there are none.
  func nextZones(in scope: CKSyncEngine.SendChangesOptions.Scope) -> ZonesAttempt? {
    if let attempt = unansweredZones,
      attempt.changes.allSatisfy({ scope.contains($0) && zones.holds($0, asOf: attempt.time) })
    {
      return attempt
    }
    let due = zones.all.filter { scope.contains($0) }
    guard !due.isEmpty else { return nil }
    return ZonesAttempt(
      changes: Array(due.prefix(RecordModification.itemsPerCallMax)),
      time: zones.time
    )
  }
}
