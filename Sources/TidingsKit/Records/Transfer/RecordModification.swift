internal import Foundation
internal import Synchronization
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Saves and deletions that belong to one operation, and how they become calls.
struct RecordModification: Sendable {
  /// Callbacks during the operation.
  enum Event: Sendable {
    case progress(CKRecord, Double)
    case saved(CKRecord, CKError?)
    case deleted(CKRecord.ID, CKError?)
  }

  /// What became of all.
  struct Outcome: Sendable {
    var saved: [CKRecord] = []
    var deleted: [CKRecord.ID] = []
    var error: CKError?
  }

  /// Most items in a call, as the server has it by default and CloudKit has it.
  static let itemsPerCallMax = 400
  /// Where a call is split though it has fewer items: fields of records are at most 1 MiB together.
  static let bytesPerCallMax = 4 << 20

  var saving: [CKRecord]
  var deleting: [CKRecord.ID]
  var policy: CKModifyRecordsOperation.RecordSavePolicy
  /// All of a zone's items succeed, or none does, in custom zones.
  var isAtomic: Bool
  var mark: Data?

  init(
    saving: [CKRecord],
    deleting: [CKRecord.ID],
    policy: CKModifyRecordsOperation.RecordSavePolicy,
    isAtomic: Bool,
    mark: Data? = nil
  ) {
    self.saving = saving
    self.deleting = deleting
    self.policy = policy
    self.isAtomic = isAtomic
    self.mark = mark
  }

  /// Does it all; every item is reported exactly once.
  func run(
    in database: CKDatabase,
    _ patience: Patience,
    _ tell: @escaping @Sendable (Event) -> Void
  ) async -> Outcome {
    var ledger = ModificationLedger(tell)
    var batches: [ModificationBatch] = []
    do {
      try Task.checkCancellation()
      let prepared = try await prepare(in: database, &ledger)
      batches = ModificationBatch.split(
        prepared.saves,
        prepared.deletions,
        isAtomic: isAtomic,
        in: database.databaseScope
      )
    } catch {
      ledger.failAll(saving, deleting, CKError(wrapping: error))
      return ledger.outcome
    }
    batches.reverse()
    while let batch = batches.popLast() {
      do {
        try Task.checkCancellation()
        let answers = try await send(batch, in: database, patience)
        await ledger.enter(batch, answers, from: database)
      } catch {
        let error = CKError(wrapping: error)
        if error.code == .limitExceeded,
          let halves = batch.halves(isAtomic: isAtomic, in: database.databaseScope)
        {
          batches += [halves.1, halves.0]
        } else {
          ledger.fail(batch, error)
        }
      }
    }
    return ledger.outcome
  }

  private func send(
    _ batch: ModificationBatch,
    in database: CKDatabase,
    _ patience: Patience
  ) async throws -> [TidingsV1.RecordResult] {
    let request = TidingsV1.ModifyRecordsRequest(
      databaseID: database.databaseID,
      recordsToSave: batch.saves.map(\.wire),
      recordIDsToDelete: batch.deletions.map(\.wire),
      savePolicy: policy.wire,
      // Not said, it means the custom zones.
      atomic: isAtomic ? nil : false,
      clientChangeTokenData: mark.map { Array($0) } ?? []
    )
    let key = UUID().uuidString
    return try await database.call(patience, idempotencyKey: key) { (client, options) in
      try await client.records.modifyRecords(request, options: options)
    }.results
  }

  /// Takes the records as they are now: uploads their files and seals what is to be sealed.
  ///
  /// A record that cannot be prepared fails, and with it all of its zone where the zone is atomic.
  ///
  /// - Returns: What is left to be sent.
  private func prepare(
    in database: CKDatabase,
    _ ledger: inout ModificationLedger
  ) async throws -> (saves: [ModificationBatch.Save], deletions: [CKRecord.ID]) {
    var prepared: [ModificationBatch.Save] = []
    var uploads = Uploads()
    var culprits: [CKRecordZone.ID: CKError] = [:]
    let tell = ledger.tell
    let repeated = repeatedIDs
    for record in saving {
      let sent = record.contents.withLock { $0 }
      let zone = sent.recordID.zoneID
      guard culprits[zone] == nil || repeated.contains(sent.recordID) else { continue }
      do {
        if repeated.contains(sent.recordID) { throw sent.recordID.repetition }
        let wire = try await database.prepare(
          sent,
          sendsAll: policy == .allKeys,
          uploads: &uploads,
          progress: { tell(.progress(record, $0)) }
        )
        prepared.append(.init(record: record, sent: sent, wire: wire))
      } catch {
        let failure = CKError(wrapping: error)
        if failure.code == .operationCancelled { throw failure }
        ledger.tellSaved(record, failure)
        guard isAtomic, zone.isAtomic(in: database.databaseScope) else { continue }
        culprits[zone] = .batchFailed(because: sent.recordID, failure)
      }
    }
    var deletions = deleting
    if !repeated.isEmpty {
      for id in Set(deleting).intersection(repeated) {
        ledger.tellDeleted(id, id.repetition)
        guard isAtomic, id.zoneID.isAtomic(in: database.databaseScope) else { continue }
        culprits[id.zoneID] = .batchFailed(because: id, id.repetition)
      }
      deletions.removeAll { repeated.contains($0) }
    }
    guard !culprits.isEmpty else { return (prepared, deletions) }
    ledger.fail(saving, deletions, inZones: culprits)
    return (
      prepared.filter { culprits[$0.sent.recordID.zoneID] == nil },
      deletions.filter { culprits[$0.zoneID] == nil }
    )
  }

  /// Records of which more than one change is asked for: each of these fails, and the others do not.
  private var repeatedIDs: Set<CKRecord.ID> {
    var (seen, repeated): (Set<CKRecord.ID>, Set<CKRecord.ID>) = ([], [])
    for id in saving.map(\.recordID) + deleting where !seen.insert(id).inserted {
      repeated.insert(id)
    }
    return repeated
  }
}

extension CKRecord.ID {
  fileprivate var repetition: CKError {
    CKError(
      .invalidArguments,
      "record \(recordName) appears twice in the call: send one change for each record"
    )
  }
}

extension CKError {
  /// What fails because another item of its zone did.
  fileprivate static func batchFailed(because id: CKRecord.ID, _ failure: CKError) -> CKError {
    CKError(.batchRequestFailed, "\(id.recordName) failed: \(failure.message)")
  }
}

extension CKModifyRecordsOperation.RecordSavePolicy {
  var wire: TidingsV1.SavePolicy {
    switch self {
    case .ifServerRecordUnchanged: .ifServerRecordUnchanged
    case .changedKeys: .changedKeys
    case .allKeys: .allKeys
    }
  }
}
