/// Fetches which zones of a database changed.
open class CKFetchDatabaseChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  // Set before the operation runs.

  /// Where the last fetch ended; `nil`: from the beginning.
  open var previousServerChangeToken: CKServerChangeToken?
  /// Most zones that come together; 0: the server's choice.
  open var resultsLimit = 0
  /// Fetches on until nothing more is coming.
  open var fetchAllChanges = true

  /// Called for each zone that was created or altered, or in which a record changed.
  open var recordZoneWithIDChangedBlock: ((CKRecordZone.ID) -> Void)?
  /// Called for each zone that was deleted.
  open var recordZoneWithIDWasDeletedBlock: ((CKRecordZone.ID) -> Void)?
  /// Called for each zone that is gone because the user removed the data of the application: do not create
  /// it again without asking; if not set, `recordZoneWithIDWasDeletedBlock` does.
  open var recordZoneWithIDWasPurgedBlock: ((CKRecordZone.ID) -> Void)?
  /// Called for each zone that is gone because the user reset encrypted data: create it again and save what
  /// is cached; if not set, `recordZoneWithIDWasDeletedBlock` does.
  open var recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock: ((CKRecordZone.ID) -> Void)?
  /// Called with the position of the feed: all zones up to it were reported.
  open var changeTokenUpdatedBlock: ((CKServerChangeToken) -> Void)?
  /// Called at the end, with the position of the feed, whether more is coming, and the error.
  open var fetchDatabaseChangesCompletionBlock:
    ((CKServerChangeToken?, Bool, (any Error)?) -> Void)?
  /// Called at the end, with the position of the feed, and whether more is coming.
  open var fetchDatabaseChangesResultBlock:
    (
      (
        Result<(serverChangeToken: CKServerChangeToken, moreComing: Bool), any Error>
      ) -> Void
    )?

  /// An operation to be set up.
  public override init() { super.init() }

  /// An operation that fetches what changed after a token.
  public convenience init(previousServerChangeToken: CKServerChangeToken?) {
    self.init()
    self.previousServerChangeToken = previousServerChangeToken
  }

  override func perform() async {
    await finish {
      var feed = DatabaseFeed(
        token: previousServerChangeToken?.bytes ?? [],
        limit: resultsLimit
      )
      while true {
        let page = try await feed.next(in: target, Patience(resolvedConfiguration))
        report(page)
        if !page.moreComing || !fetchAllChanges { return (page.token, page.moreComing) }
      }
    } _: { [self] (result: Result<(CKServerChangeToken, Bool), any Error>) in
      let (token, moreComing) = (result.success?.0, result.success?.1 ?? false)
      fetchDatabaseChangesCompletionBlock?(token, moreComing, result.failure)
      fetchDatabaseChangesResultBlock?(result.map { ($0.0, $0.1) })
    }
  }

  private func report(_ page: DatabaseFeed.Page) {
    deliver { [self] in
      for zone in page.changed { recordZoneWithIDChangedBlock?(zone) }
      for deletion in page.deletions {
        block(of: deletion.reason)?(deletion.zoneID)
      }
      changeTokenUpdatedBlock?(page.token)
    }
  }

  private func block(
    of reason: CKDatabase.DatabaseChange.Deletion.Reason
  ) -> ((CKRecordZone.ID) -> Void)? {
    switch reason {
    case .deleted: recordZoneWithIDWasDeletedBlock
    case .purged: recordZoneWithIDWasPurgedBlock ?? recordZoneWithIDWasDeletedBlock
    case .encryptedDataReset:
      recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock
        ?? recordZoneWithIDWasDeletedBlock
    }
  }
}
