public import Foundation
internal import TidingsClient
internal import TidingsProto

/// Saves and deletes records.
///
/// More items than a call may have are sent in several calls, unless they are to be saved atomically.
open class CKModifyRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
  // Set before the operation runs.

  /// What a save compares and writes.
  public enum RecordSavePolicy: Int, Sendable {
    /// Fails when somebody else saved the record since it was fetched.
    case ifServerRecordUnchanged = 0
    /// Writes the fields that were changed.
    case changedKeys = 1
    /// Writes all fields.
    case allKeys = 2
  }

  /// Records to save.
  open var recordsToSave: [CKRecord]?
  /// Records to delete.
  open var recordIDsToDelete: [CKRecord.ID]?
  /// What a save compares and writes.
  open var savePolicy = RecordSavePolicy.ifServerRecordUnchanged
  /// The client's own mark: it comes back with the changes of the zones that the operation changed.
  open var clientChangeTokenData: Data?
  /// All of a zone's items succeed, or none does; not in default zones.
  open var isAtomic = true
  /// All of a zone's items succeed, or none does, as older code names it.
  open var atomic: Bool {
    get { isAtomic }
    set { isAtomic = newValue }
  }

  /// Called with the part of a record that was sent, 0 to 1.
  open var perRecordProgressBlock: ((CKRecord, Double) -> Void)?
  /// Called for each record to save.
  open var perRecordCompletionBlock: ((CKRecord, (any Error)?) -> Void)?
  /// Called for each record to save.
  open var perRecordSaveBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
  /// Called for each record to delete.
  open var perRecordDeleteBlock: ((CKRecord.ID, Result<Void, any Error>) -> Void)?
  /// Called at the end, with what was saved, what was deleted, and the error.
  open var modifyRecordsCompletionBlock: (([CKRecord]?, [CKRecord.ID]?, (any Error)?) -> Void)?
  /// Called at the end.
  open var modifyRecordsResultBlock: ((Result<Void, any Error>) -> Void)?

  /// An operation to be set up.
  public override init() { super.init() }

  /// An operation that saves and deletes.
  public convenience init(
    recordsToSave: [CKRecord]? = nil,
    recordIDsToDelete: [CKRecord.ID]? = nil
  ) {
    self.init()
    self.recordsToSave = recordsToSave
    self.recordIDsToDelete = recordIDsToDelete
  }

  override func perform() async {
    let modification = RecordModification(
      saving: recordsToSave ?? [],
      deleting: recordIDsToDelete ?? [],
      policy: savePolicy,
      isAtomic: isAtomic,
      mark: clientChangeTokenData
    )
    let outcome = await modification.run(in: target, Patience(resolvedConfiguration)) {
      [self] event in
      deliver { [self] in report(event) }
    }
    deliver { [self] in
      modifyRecordsCompletionBlock?(outcome.saved, outcome.deleted, outcome.error)
      modifyRecordsResultBlock?(outcome.error.map { .failure($0) } ?? .success(()))
    }
  }

  private func report(_ event: RecordModification.Event) {
    switch event {
    case .progress(let record, let fraction): perRecordProgressBlock?(record, fraction)
    case .saved(let record, let error):
      perRecordCompletionBlock?(record, error)
      perRecordSaveBlock?(record.recordID, error.map { .failure($0) } ?? .success(record))
    case .deleted(let id, let error):
      perRecordDeleteBlock?(id, error.map { .failure($0) } ?? .success(()))
    }
  }
}

/// What a save compares and writes, as older code names it.
public typealias CKRecordSavePolicy = CKModifyRecordsOperation.RecordSavePolicy
