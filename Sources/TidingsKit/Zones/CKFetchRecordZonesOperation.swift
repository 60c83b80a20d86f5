/// Fetches zones: some by their ids, or all of a database.
open class CKFetchRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
  // Set before the operation runs.

  /// Which zones.
  open var recordZoneIDs: [CKRecordZone.ID]?
  /// Fetches all zones of the database.
  private var isForAll = false

  /// Called for each zone.
  open var perRecordZoneResultBlock: ((CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)?
  /// Called at the end, with what was found, and the error.
  open var fetchRecordZonesCompletionBlock:
    (([CKRecordZone.ID: CKRecordZone]?, (any Error)?) -> Void)?
  /// Called at the end.
  open var fetchRecordZonesResultBlock: ((Result<Void, any Error>) -> Void)?

  /// An operation to be set up.
  public required override init() { super.init() }

  /// An operation that fetches some zones.
  public convenience init(recordZoneIDs zoneIDs: [CKRecordZone.ID]) {
    self.init()
    recordZoneIDs = zoneIDs
  }

  /// An operation that fetches all zones of its database.
  public class func fetchAllRecordZonesOperation() -> Self {
    let operation = Self()
    operation.isForAll = true
    return operation
  }

  override func perform() async {
    let fetch = ZoneFetch(ids: isForAll ? nil : recordZoneIDs ?? [])
    let outcome = await fetch.run(in: target, Patience(resolvedConfiguration)) { (id, answer) in
      deliver { [self] in perRecordZoneResultBlock?(id, answer.mapError { $0 }) }
    }
    deliver { [self] in
      fetchRecordZonesCompletionBlock?(outcome.found, outcome.error)
      fetchRecordZonesResultBlock?(outcome.error.map { .failure($0) } ?? .success(()))
    }
  }
}
