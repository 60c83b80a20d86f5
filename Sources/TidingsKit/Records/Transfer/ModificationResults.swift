internal import Synchronization

/// What became of each item of a modification, by its id.
final class ModificationResults: Sendable {
  /// As the database's own functions return it.
  typealias All = (
    saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
    deleteResults: [CKRecord.ID: Result<Void, any Error>]
  )

  private let results = Mutex<All>(([:], [:]))

  var all: All { results.withLock { $0 } }

  func enter(_ event: RecordModification.Event) {
    results.withLock {
      switch event {
      case .progress: break
      case .saved(let record, let error):
        $0.saveResults[record.recordID] = error.map { .failure($0) } ?? .success(record)
      case .deleted(let id, let error):
        $0.deleteResults[id] = error.map { .failure($0) } ?? .success(())
      }
    }
  }
}

extension RecordModification.Outcome {
  /// Nothing was done.
  var isEmpty: Bool { saved.isEmpty && deleted.isEmpty }
}
