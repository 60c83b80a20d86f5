/// One sending of what is pending: answers in, steps out.
///
/// Zones come before records. What was sent is no longer pending at the moment in which that is told,
/// so what the program adds while it hears so stays. The run ends with the first call of which something
/// failed: the program may have to mend more than that.
struct SendRun: Sendable {
  private enum Phase: Sendable {
    case zones
    case records
  }

  let context: CKSyncEngine.SendChangesContext
  /// Something was sent.
  private(set) var hasSent = false
  private var phase = Phase.zones
  /// When the zones that are being sent were taken.
  private var zonesTime: UInt64 = 0
  /// When the records that are being sent were asked for.
  private var recordsTime: UInt64 = 0
  private var untrackedTime: UInt64 = 0

  init(_ context: CKSyncEngine.SendChangesContext) { self.context = context }

  /// The first steps.
  var beginning: [SyncStep] { [.tell(.willSendChanges(.init(context: context)))] }

  /// The last steps.
  func ending(_ error: CKError?) -> [SyncStep] {
    [.tellState, .tell(.didSendChanges(.init(context: context))), .tellState, .end(error)]
  }

  /// The next steps, when all others are done.
  mutating func plan(_ progress: SyncProgress) -> [SyncStep] {
    if case .zones = phase {
      let due = progress.zones.all.filter { context.options.scope.contains($0) }
      let changes = Array(due.prefix(RecordModification.itemsPerCallMax))
      zonesTime = progress.zones.time
      if !changes.isEmpty {
        let saving = changes.compactMap { if case .saveZone(let zone) = $0 { zone } else { nil } }
        let deleting = changes.compactMap { if case .deleteZone(let id) = $0 { id } else { nil } }
        return [.ask(.modifyZones(saving: saving, deleting: deleting))]
      }
      phase = .records
    }
    recordsTime = progress.records.time
    untrackedTime = progress.untrackedTime
    return [.ask(.batch(context))]
  }

  /// The steps that an answer leads to.
  mutating func take(_ answer: SyncAnswer, _ progress: SyncProgress) -> [SyncStep] {
    switch answer {
    case .modifiedZones(let sent): return take(sent)
    case .batch(let batch):
      if let batch, batch.count > 0 { return [.ask(.modifyRecords(batch))] }
      guard progress.hasUntrackedChanges, context.options.scope == .all else { return ending(nil) }
      let clear = SyncStep.apply { [untrackedTime] progress in
        // Set again meanwhile: it is asked again.
        if progress.untrackedTime == untrackedTime { progress.hasUntrackedChanges = false }
      }
      return [clear] + ending(nil)
    case .modifiedRecords(let sent): return take(sent)
    default: return []
    }
  }

  private mutating func take(_ sent: CKSyncEngine.Event.SentDatabaseChanges) -> [SyncStep] {
    typealias Change = CKSyncEngine.PendingDatabaseChange
    let saved = sent.savedZones.map { Change.saveZone($0) }
    let deleted = sent.deletedZoneIDs.map { Change.deleteZone($0) }
    let failures =
      sent.failedZoneSaves.map { (Change.saveZone($0.zone), $0.error) }
      + sent.failedZoneDeletes.map { (Change.deleteZone($0), $1) }
    let given = failures.filter { !$1.staysPending }.map(\.0)
    let settle = SyncStep.apply { [zonesTime] progress in
      for change in saved + deleted + given { progress.zones.settle(change, asOf: zonesTime) }
      for id in sent.deletedZoneIDs {
        progress.forget(id)
        progress.noteFetched(id)
      }
    }
    if !saved.isEmpty || !deleted.isEmpty { hasSent = true }
    let steps = [settle, .tell(.sentDatabaseChanges(sent)), .tellState]
    let errors = failures.map { CKError.PartialError(id: .zone($0.item), error: $1) }
    return errors.isEmpty ? steps : steps + ending(CKError.summary(errors))
  }

  private mutating func take(_ sent: CKSyncEngine.Event.SentRecordZoneChanges) -> [SyncStep] {
    typealias Change = CKSyncEngine.PendingRecordZoneChange
    // A zone that is added meanwhile goes first.
    phase = .zones
    let saved = sent.savedRecords.map { Change.saveRecord($0.recordID) }
    let deleted = sent.deletedRecordIDs.map { Change.deleteRecord($0) }
    let failures =
      sent.failedRecordSaves.map { (Change.saveRecord($0.record.recordID), $0.error) }
      + sent.failedRecordDeletes.map { (Change.deleteRecord($0), $1) }
    let given = failures.filter { !$1.staysPending }.map(\.0)
    let tags = sent.savedRecords.map { ($0.recordID, $0.recordChangeTag) }
    let settle = SyncStep.apply { [recordsTime] progress in
      for change in saved + deleted + given { progress.records.settle(change, asOf: recordsTime) }
      for (id, tag) in tags { progress.noteSent(id, tag: tag) }
      for id in sent.deletedRecordIDs { progress.noteSent(id, tag: nil) }
    }
    if !saved.isEmpty || !deleted.isEmpty { hasSent = true }
    let steps = [settle, .tell(.sentRecordZoneChanges(sent)), .tellState]
    let errors = failures.map { CKError.PartialError(id: .record($0.item), error: $1) }
    return errors.isEmpty ? steps : steps + ending(CKError.summary(errors))
  }
}

extension CKError {
  /// What failed with it is sent again by the engine itself.
  ///
  /// The records of an atomic batch that failed because of another one are not at fault.
  var staysPending: Bool { isRetriedBySyncEngine || code == .batchRequestFailed }

  /// Why a run ended: what all items failed with, or each item's failure.
  static func summary(_ errors: [PartialError]) -> CKError? {
    guard let first = errors.first?.error else { return nil }
    let isShared = first.isRetriedBySyncEngine && errors.allSatisfy { $0.error.code == first.code }
    return isShared ? first : partial(errors)
  }
}
