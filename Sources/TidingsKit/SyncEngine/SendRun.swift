/// One sending of what is pending: answers in, steps out.
///
/// Zones come before records. What was sent is no longer pending at the moment in which that is reported,
/// so what the program adds while handling the event stays. The run ends with the first call of which something
/// failed: the program may have to fix more than that.
///
/// A zone whose feed was never read is looked at before the first record is sent to it. Its token makes
/// the feed report the record, should it or the zone be deleted before the next fetch.
struct SendRun: Sendable {
  private enum Phase: Sendable {
    case zones
    case records
  }

  let context: CKSyncEngine.SendChangesContext
  /// Something was sent.
  private(set) var hasSent = false
  private var phase = Phase.zones
  /// The changes of zones that are being sent.
  private var sentZones: ZonesAttempt?
  /// When the records that are being sent were asked for.
  private var recordsTime: UInt64 = 0
  private var untrackedTime: UInt64 = 0
  /// What is to be sent when all its zones were looked at.
  private var batch: CKSyncEngine.RecordZoneChangeBatch?
  private var unread: [CKRecordZone.ID] = []

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
      if let zones = progress.nextZones(in: context.options.scope) {
        sentZones = zones
        let (saving, deleting) = (zones.saving, zones.deleting)
        return [.ask(.modifyZones(saving: saving, deleting: deleting, key: zones.key))]
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
      if let batch, batch.count > 0 { return begin(batch, progress) }
      guard progress.hasUntrackedChanges, context.options.scope == .all else { return ending(nil) }
      let clear = SyncStep.apply { [untrackedTime] progress in
        // Set again meanwhile: it is asked again.
        if progress.untrackedTime == untrackedTime { progress.hasUntrackedChanges = false }
      }
      return [clear] + ending(nil)
    case .zoneChanges(let result): return take(result)
    case .modifiedRecords(let sent): return take(sent)
    default: return []
    }
  }

  private mutating func begin(
    _ batch: CKSyncEngine.RecordZoneChangeBatch,
    _ progress: SyncProgress
  ) -> [SyncStep] {
    self.batch = batch
    let zones = Set((batch.recordsToSave.map(\.recordID) + batch.recordIDsToDelete).map(\.zoneID))
    unread = zones.filter { progress.zoneTokens[$0] == nil }
    return goOn()
  }

  private mutating func goOn() -> [SyncStep] {
    if let zone = unread.last { return [.ask(.zoneChanges(zone, after: []))] }
    defer { batch = nil }
    return batch.map { [.ask(.modifyRecords($0))] } ?? []
  }

  private mutating func take(_ result: Result<SyncAnswer.ZonePage, CKError>) -> [SyncStep] {
    guard let zone = unread.popLast() else { return [] }
    switch result {
    case .success(let page):
      let commit = SyncStep.apply { progress in
        progress.zoneTokens[zone] = page.token
        if page.moreComing { progress.noteChange(in: zone) }
        for record in page.saved { progress.forgetSent(record.recordID) }
      }
      guard !page.saved.isEmpty || !page.deleted.isEmpty else { return [commit] + goOn() }
      let changes = CKSyncEngine.Event.FetchedRecordZoneChanges(
        modifications: page.saved.map { .init(record: $0) },
        deletions: page.deleted
      )
      let options = CKSyncEngine.FetchChangesOptions(scope: .zoneIDs([zone]))
      let fetch = CKSyncEngine.FetchChangesContext(reason: context.reason, options: options)
      return [
        .tell(.willFetchChanges(.init(context: fetch))),
        .tell(.willFetchRecordZoneChanges(.init(zoneID: zone))),
        .tell(.fetchedRecordZoneChanges(changes)), commit, .tellState,
        .tell(.didFetchRecordZoneChanges(.init(zoneID: zone, error: nil))),
        .tell(.didFetchChanges(.init(context: fetch))),
      ] + goOn()
    case .failure(let error):
      return error.isRetriedBySyncEngine ? ending(error) : refuse(zone, error)
    }
  }

  /// What was to be sent to a zone fails because the zone cannot be read.
  private mutating func refuse(_ zone: CKRecordZone.ID, _ error: CKError) -> [SyncStep] {
    let records = batch?.recordsToSave.filter { $0.recordID.zoneID == zone } ?? []
    let deletions = batch?.recordIDsToDelete.filter { $0.zoneID == zone } ?? []
    return take(
      CKSyncEngine.Event.SentRecordZoneChanges(
        savedRecords: [],
        failedRecordSaves: records.map { .init(record: $0, error: error) },
        deletedRecordIDs: [],
        failedRecordDeletes: Dictionary(deletions.map { ($0, error) }) { first, _ in first }
      )
    )
  }

  private mutating func take(_ sent: CKSyncEngine.Event.SentDatabaseChanges) -> [SyncStep] {
    typealias Change = CKSyncEngine.PendingDatabaseChange
    let saved = sent.savedZones.map { Change.saveZone($0) }
    let deleted = sent.deletedZoneIDs.map { Change.deleteZone($0) }
    let failures =
      sent.failedZoneSaves.map { (Change.saveZone($0.zone), $0.error) }
      + sent.failedZoneDeletes.map { (Change.deleteZone($0), $1) }
    let given = failures.filter { !$1.staysPending }.map(\.0)
    // The tokens of deleted zones stay: with them the feed reports deletions, should the zone exist
    // again by then.
    let (settled, time) = (saved + deleted + given, sentZones?.time ?? 0)
    let unanswered = settled.isEmpty ? sentZones : nil
    let settle = SyncStep.apply { progress in
      progress.unansweredZones = unanswered
      progress.unconfirmedZones = settled.filter { progress.zones.settle($0, asOf: time) }
    }
    if !saved.isEmpty || !deleted.isEmpty { hasSent = true }
    let confirm = SyncStep.apply { $0.unconfirmedZones = [] }
    let steps = [settle, .tell(.sentDatabaseChanges(sent)), confirm, .tellState]
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
    let failed = failures.map(\.0.item)
    let tags = sent.savedRecords.map { ($0.recordID, $0.recordChangeTag) }
    let settle = SyncStep.apply { [recordsTime] progress in
      progress.unconfirmedRecords = (saved + deleted + given).filter {
        progress.records.settle($0, asOf: recordsTime)
      }
      for (id, tag) in tags { progress.noteSent(id, tag: tag) }
      for id in sent.deletedRecordIDs { progress.noteSent(id, tag: nil) }
      // These are reported to the program elsewhere.
      for id in failed { progress.forgetSent(id) }
    }
    if !saved.isEmpty || !deleted.isEmpty { hasSent = true }
    let confirm = SyncStep.apply { $0.unconfirmedRecords = [] }
    let steps = [settle, .tell(.sentRecordZoneChanges(sent)), confirm, .tellState]
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
