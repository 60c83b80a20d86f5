internal import Foundation
internal import TidingsClient
internal import TidingsProto

/// Fetches records by their ids.
open class CKFetchRecordsOperation: CKDatabaseOperation, @unchecked Sendable {
  // Set before the operation runs.

  /// Which records.
  open var recordIDs: [CKRecord.ID]?
  /// Which fields; `nil`: all.
  open var desiredKeys: [CKRecord.FieldKey]?
  /// Fetches the current user's own record.
  var isCurrentUser = false

  /// Called with the part of a record that was received, 0 to 1.
  open var perRecordProgressBlock: ((CKRecord.ID, Double) -> Void)?
  /// Called for each record.
  open var perRecordCompletionBlock: ((CKRecord?, CKRecord.ID?, (any Error)?) -> Void)?
  /// Called for each record.
  open var perRecordResultBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
  /// Called at the end, with what was found, and the error.
  open var fetchRecordsCompletionBlock: (([CKRecord.ID: CKRecord]?, (any Error)?) -> Void)?
  /// Called at the end.
  open var fetchRecordsResultBlock: ((Result<Void, any Error>) -> Void)?

  /// An operation to be set up.
  public required override init() { super.init() }

  /// An operation that fetches records.
  public convenience init(recordIDs: [CKRecord.ID]) {
    self.init()
    self.recordIDs = recordIDs
  }

  /// Fetches the record of the current user.
  public class func fetchCurrentUserRecordOperation() -> Self {
    let operation = Self()
    operation.isCurrentUser = true
    return operation
  }

  override func perform() async {
    let outcome = await fetch()
    deliver { [self] in
      fetchRecordsCompletionBlock?(outcome.found, outcome.error)
      fetchRecordsResultBlock?(outcome.error.map { .failure($0) } ?? .success(()))
    }
  }

  private func fetch() async -> RecordFetch.Outcome {
    do {
      try Task.checkCancellation()
      var ids = recordIDs ?? []
      if isCurrentUser { ids = [CKRecord.ID(recordName: try await target.link.userName())] }
      let fetch = RecordFetch(ids: ids, desiredKeys: desiredKeys)
      let progress: RecordFetch.Progress = { [self] (id, fraction) in
        if fraction < 1 { deliver { [self] in perRecordProgressBlock?(id, fraction) } }
      }
      return await fetch.run(in: target, Patience(resolvedConfiguration), progress) {
        (id, answer) in
        deliver { [self] in
          if case .success = answer { perRecordProgressBlock?(id, 1) }
          perRecordCompletionBlock?(answer.success, id, answer.failure)
          perRecordResultBlock?(id, answer.mapError { $0 })
        }
      }
    } catch {
      return .init(failure: CKError(wrapping: error))
    }
  }
}
