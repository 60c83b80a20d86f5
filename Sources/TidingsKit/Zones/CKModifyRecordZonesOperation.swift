/// Creates and deletes zones.
open class CKModifyRecordZonesOperation: CKDatabaseOperation, @unchecked Sendable {
  // Set before the operation runs.

  /// Zones to create; one that exists stays as it is.
  open var recordZonesToSave: [CKRecordZone]?
  /// Zones to delete, with all their records.
  open var recordZoneIDsToDelete: [CKRecordZone.ID]?

  /// Called for each zone to create.
  open var perRecordZoneSaveBlock: ((CKRecordZone.ID, Result<CKRecordZone, any Error>) -> Void)?
  /// Called for each zone to delete.
  open var perRecordZoneDeleteBlock: ((CKRecordZone.ID, Result<Void, any Error>) -> Void)?
  /// Called at the end, with what was created, what was deleted, and the error.
  open var modifyRecordZonesCompletionBlock:
    (([CKRecordZone]?, [CKRecordZone.ID]?, (any Error)?) -> Void)?
  /// Called at the end.
  open var modifyRecordZonesResultBlock: ((Result<Void, any Error>) -> Void)?

  /// An operation to be set up.
  public override init() { super.init() }

  /// An operation that creates and deletes.
  public convenience init(
    recordZonesToSave: [CKRecordZone]? = nil,
    recordZoneIDsToDelete: [CKRecordZone.ID]? = nil
  ) {
    self.init()
    self.recordZonesToSave = recordZonesToSave
    self.recordZoneIDsToDelete = recordZoneIDsToDelete
  }

  override func perform() async {
    let modification = ZoneModification(
      saving: recordZonesToSave ?? [],
      deleting: recordZoneIDsToDelete ?? []
    )
    let outcome = await modification.run(in: target, Patience(resolvedConfiguration)) { event in
      deliver { [self] in
        switch event {
        case .saved(let zone, let result):
          perRecordZoneSaveBlock?(zone.zoneID, result.mapError { $0 })
        case .deleted(let id, let error):
          perRecordZoneDeleteBlock?(id, error.map { .failure($0) } ?? .success(()))
        }
      }
    }
    deliver { [self] in
      modifyRecordZonesCompletionBlock?(outcome.saved, outcome.deleted, outcome.error)
      modifyRecordZonesResultBlock?(outcome.error.map { .failure($0) } ?? .success(()))
    }
  }
}
