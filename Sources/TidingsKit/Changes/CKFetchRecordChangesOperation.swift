public import Foundation

/// Fetches which records of one zone changed, a page at a time: what was there before
/// `CKFetchRecordZoneChangesOperation`.
open class CKFetchRecordChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  // Set before the operation runs; `moreComing` is set by the operation before it ends.

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// Which zone.
  open var recordZoneID: CKRecordZone.ID! = .default
  /// Where the last fetch ended; `nil`: from the beginning.
  open var previousServerChangeToken: CKServerChangeToken?
  /// Most records; 0: the server's choice.
  open var resultsLimit = 0
  /// Which fields; `nil`: all.
  open var desiredKeys: [CKRecord.FieldKey]?
  /// More is coming: fetch again with the new token.
  open private(set) var moreComing = false

  /// Called for each record that was saved.
  open var recordChangedBlock: ((CKRecord) -> Void)?
  /// Called for each record that was deleted.
  open var recordWithIDWasDeletedBlock: ((CKRecord.ID) -> Void)?
  /// Called at the end, with the position in the zone, this device's newest mark, and the error.
  open var fetchRecordChangesCompletionBlock: ((CKServerChangeToken?, Data?, (any Error)?) -> Void)?

  /// An operation to be set up.
  public override init() { super.init() }

  /// An operation that fetches what changed after a token.
  public convenience init(
    recordZoneID: CKRecordZone.ID,
    previousServerChangeToken: CKServerChangeToken?
  ) {
    self.init()
    self.recordZoneID = recordZoneID
    self.previousServerChangeToken = previousServerChangeToken
  }

  override func perform() async {
    let zone = ZoneFeed.Zone(
      id: recordZoneID ?? .default,
      token: previousServerChangeToken?.bytes ?? [],
      limit: resultsLimit,
      desiredKeys: desiredKeys
    )
    _ = await ZoneFeed(zones: [zone], readsAll: false).run(
      in: target,
      Patience(resolvedConfiguration)
    ) {
      event in
      deliver { [self] in report(event) }
    }
  }

  private func report(_ event: ZoneFeed.Event) {
    switch event {
    case .changed(_, .success(let record)): recordChangedBlock?(record)
    case .changed, .passed: break
    case .deleted(let id, _): recordWithIDWasDeletedBlock?(id)
    case .ended(_, let result):
      moreComing = result.success?.moreComing ?? false
      fetchRecordChangesCompletionBlock?(
        result.success?.token,
        result.success?.mark,
        result.failure
      )
    }
  }
}
