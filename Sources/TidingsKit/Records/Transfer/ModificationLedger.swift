internal import Synchronization
internal import TidingsProto

/// The results of the items of a modification: reported once, and summed up.
struct ModificationLedger {
  let tell: @Sendable (RecordModification.Event) -> Void
  private var summary = RecordModification.Outcome()
  private var failed: [CKError.PartialError] = []
  /// Those that were reported.
  private var reported: Set<ObjectIdentifier> = []
  /// A failure of the operation as a whole.
  private var failure: CKError?

  init(_ tell: @escaping @Sendable (RecordModification.Event) -> Void) { self.tell = tell }

  /// What became of all.
  var outcome: RecordModification.Outcome {
    var outcome = summary
    outcome.error = failure ?? CKError.partial(failed)
    return outcome
  }

  mutating func tellSaved(_ record: CKRecord, _ error: CKError?) {
    reported.insert(ObjectIdentifier(record))
    if let error {
      failed.append(.init(id: .record(record.recordID), error: error))
    } else {
      summary.saved.append(record)
    }
    tell(.saved(record, error))
  }

  mutating func tellDeleted(_ id: CKRecord.ID, _ error: CKError?) {
    if let error {
      failed.append(.init(id: .record(id), error: error))
    } else {
      summary.deleted.append(id)
    }
    tell(.deleted(id, error))
  }

  /// Takes in the answers of a call, in the order of its items.
  mutating func enter(
    _ batch: ModificationBatch,
    _ answers: [TidingsV1.RecordResult],
    from database: CKDatabase
  ) async {
    let missing = CKError(.internalError, "the server's answer does not include this record")
    for (index, save) in batch.saves.enumerated() {
      let answer = index < answers.count ? answers[index] : nil
      guard let answer else {
        tellSaved(save.record, missing)
        continue
      }
      switch answer.outcome {
      case .record(let stored)?:
        save.rememberAssets(in: database)
        let user = save.sent.shareTerms == nil ? "" : (try? await database.link.userName()) ?? ""
        save.record.contents.withLock { $0.acknowledge(stored, sent: save.sent, as: user) }
        tell(.progress(save.record, 1))
        tellSaved(save.record, nil)
      case .error(let error)?:
        tellSaved(save.record, await database.failure(error, of: save, answer))
      default: tellSaved(save.record, missing)
      }
    }
    for (index, id) in batch.deletions.enumerated() {
      let position = batch.saves.count + index
      switch position < answers.count ? answers[position].outcome : nil {
      case .deleted?: tellDeleted(id, nil)
      case .error(let error)?: tellDeleted(id, CKError(error))
      default: tellDeleted(id, missing)
      }
    }
  }

  /// A call failed as a whole.
  mutating func fail(_ batch: ModificationBatch, _ error: CKError) {
    failAll(batch.saves.map(\.record), batch.deletions, error)
  }

  /// What has not been reported and is in one of these zones failed with its error.
  mutating func fail(
    _ saving: [CKRecord],
    _ deleting: [CKRecord.ID],
    inZones errors: [CKRecordZone.ID: CKError]
  ) {
    let known = reported
    for record in saving where !known.contains(ObjectIdentifier(record)) {
      if let error = errors[record.recordID.zoneID] { tellSaved(record, error) }
    }
    for id in deleting { if let error = errors[id.zoneID] { tellDeleted(id, error) } }
  }

  /// All of these failed, except those that were reported already.
  mutating func failAll(_ saving: [CKRecord], _ deleting: [CKRecord.ID], _ error: CKError) {
    let errors = Dictionary(
      error.partialErrors.map { ($0.id, $0.error) },
      uniquingKeysWith: { first, _ in first }
    )
    if error.code != .partialFailure { failure = failure ?? error }
    let known = reported
    for record in saving where !known.contains(ObjectIdentifier(record)) {
      tellSaved(record, errors[.record(record.recordID)] ?? error)
    }
    for id in deleting { tellDeleted(id, errors[.record(id)] ?? error) }
  }
}
