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

  /// Hears how much of a record was received, 0 to 1.
  open var perRecordProgressBlock: (@Sendable (CKRecord.ID, Double) -> Void)?
  /// Hears of each record.
  open var perRecordCompletionBlock: (@Sendable (CKRecord?, CKRecord.ID?, (any Error)?) -> Void)?
  /// Hears of each record.
  open var perRecordResultBlock: (@Sendable (CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
  /// Hears of the end: what was found, and why not all.
  open var fetchRecordsCompletionBlock:
    (@Sendable ([CKRecord.ID: CKRecord]?, (any Error)?) -> Void)?
  /// Hears of the end.
  open var fetchRecordsResultBlock: (@Sendable (Result<Void, any Error>) -> Void)?

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
    await finish {
      try await fetch()
    } _: { [self] result in
      let error = result.failure ?? result.success.flatMap { CKError.partial($0.failed) }
      fetchRecordsCompletionBlock?(result.success?.found ?? [:], error)
      fetchRecordsResultBlock?(error.map { .failure($0) } ?? .success(()))
    }
  }

  private struct Outcome: Sendable {
    var found: [CKRecord.ID: CKRecord] = [:]
    var failed: [CKError.PartialError] = []
  }

  private func fetch() async throws -> Outcome {
    var ids = recordIDs ?? []
    if isCurrentUser {
      ids = [CKRecord.ID(recordName: try await target.link.userName())]
    }
    var outcome = Outcome()
    for start in stride(from: 0, to: ids.count, by: RecordModification.itemsPerCallMax) {
      let part = ids[start..<min(start + RecordModification.itemsPerCallMax, ids.count)]
      let request = TidingsV1.FetchRecordsRequest(
        databaseID: target.databaseID,
        recordIDs: part.map(\.wire),
        desiredKeys: desiredKeys.map { .init(keys: $0) }
      )
      let response = try await call { (client, options) in
        try await client.records.fetchRecords(request, options: options)
      }
      for (id, result) in zip(part, response.results) {
        let answer = await target.receive(result) { [self] fraction in
          if fraction < 1 { deliver { [self] in perRecordProgressBlock?(id, fraction) } }
        }
        switch answer {
        case .success(let record): outcome.found[id] = record
        case .failure(let error): outcome.failed.append(.init(id: .record(id), error: error))
        }
        deliver { [self] in
          if case .success = answer { perRecordProgressBlock?(id, 1) }
          perRecordCompletionBlock?(answer.success, id, answer.failure)
          perRecordResultBlock?(id, answer.mapError { $0 })
        }
      }
    }
    return outcome
  }
}
