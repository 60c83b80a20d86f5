public import Foundation

/// Where to begin in a zone, and what to fetch.
open class CKFetchRecordZoneChangesConfiguration: NSObject, NSCopying, NSSecureCoding,
  @unchecked Sendable
{
  // Set before the operation runs.

  /// Where the last fetch ended; `nil`: from the beginning.
  open var previousServerChangeToken: CKServerChangeToken?
  /// Most records that come together; 0: the server's choice.
  open var resultsLimit = 0
  /// Which fields; `nil`: all.
  open var desiredKeys: [CKRecord.FieldKey]?

  /// From the beginning, everything.
  public override init() { super.init() }

  /// A configuration.
  public convenience init(
    previousServerChangeToken: CKServerChangeToken? = nil,
    resultsLimit: Int? = nil,
    desiredKeys: [CKRecord.FieldKey]? = nil
  ) {
    self.init()
    self.previousServerChangeToken = previousServerChangeToken
    self.resultsLimit = resultsLimit ?? 0
    self.desiredKeys = desiredKeys
  }

  /// A configuration with the same values.
  open func copy(with zone: NSZone? = nil) -> Any {
    CKFetchRecordZoneChangesConfiguration(
      previousServerChangeToken: previousServerChangeToken,
      resultsLimit: resultsLimit,
      desiredKeys: desiredKeys
    )
  }

  /// Configurations can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Writes the token, the limit and the fields.
  open func encode(with coder: NSCoder) {
    coder.encode(previousServerChangeToken, forKey: "token")
    coder.encode(Int64(resultsLimit), forKey: "resultsLimit")
    coder.encode(desiredKeys.map { NSArray(array: $0) }, forKey: "desiredKeys")
  }

  /// Reads what `encode(with:)` wrote.
  public required init?(coder: NSCoder) {
    previousServerChangeToken = coder.object(of: CKServerChangeToken.self, forKey: "token")
    resultsLimit = Int(clamping: coder.decodeInt64(forKey: "resultsLimit"))
    if coder.containsValue(forKey: "desiredKeys") {
      let keys = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "desiredKeys")
      desiredKeys = keys as? [String]
    }
    super.init()
  }
}

/// Fetches which records of zones changed.
open class CKFetchRecordZoneChangesOperation: CKDatabaseOperation, @unchecked Sendable {
  // Set before the operation runs.

  /// Where to begin in a zone, and what to fetch.
  public typealias ZoneConfiguration = CKFetchRecordZoneChangesConfiguration

  /// Where to begin in a zone, as older code names it.
  public typealias ZoneOptions = ZoneConfiguration

  /// Which zones; `nil`: those that are configured.
  open var recordZoneIDs: [CKRecordZone.ID]?
  /// Where to begin in each zone; those that are missing: at the beginning.
  open var configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]?
  /// Where to begin in each zone, as older code names it.
  open var optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]? {
    get { configurationsByRecordZoneID }
    set { configurationsByRecordZoneID = newValue }
  }
  /// Fetches on until nothing more is coming.
  open var fetchAllChanges = true

  /// Called for each record that was saved.
  open var recordChangedBlock: ((CKRecord) -> Void)?
  /// Called for each record that was saved.
  open var recordWasChangedBlock: ((CKRecord.ID, Result<CKRecord, any Error>) -> Void)?
  /// Called for each record that was deleted, and of its type.
  open var recordWithIDWasDeletedBlock: ((CKRecord.ID, CKRecord.RecordType) -> Void)?
  /// Called with the position in a zone, when more of it follows, and this device's newest mark so far.
  open var recordZoneChangeTokensUpdatedBlock:
    ((CKRecordZone.ID, CKServerChangeToken?, Data?) -> Void)?
  /// Called at the end of each zone, with the position in it, this device's newest mark, whether more is
  /// coming, and why it failed.
  open var recordZoneFetchCompletionBlock:
    ((CKRecordZone.ID, CKServerChangeToken?, Data?, Bool, (any Error)?) -> Void)?
  /// Called at the end of each zone.
  open var recordZoneFetchResultBlock:
    (
      (
        CKRecordZone.ID,
        Result<
          (
            serverChangeToken: CKServerChangeToken, clientChangeTokenData: Data?, moreComing: Bool
          ), any Error
        >
      ) -> Void
    )?
  /// Called at the end, with `partialFailure` for errors of zones.
  open var fetchRecordZoneChangesCompletionBlock: (((any Error)?) -> Void)?
  /// Called at the end.
  open var fetchRecordZoneChangesResultBlock: ((Result<Void, any Error>) -> Void)?

  /// An operation to be set up.
  public override init() { super.init() }

  /// An operation that fetches the changes of zones.
  public convenience init(
    recordZoneIDs: [CKRecordZone.ID]? = nil,
    configurationsByRecordZoneID: [CKRecordZone.ID: ZoneConfiguration]? = nil
  ) {
    self.init()
    self.recordZoneIDs = recordZoneIDs
    self.configurationsByRecordZoneID = configurationsByRecordZoneID
  }

  /// An operation that fetches the changes of zones, as older code makes it.
  public convenience init(
    recordZoneIDs: [CKRecordZone.ID],
    optionsByRecordZoneID: [CKRecordZone.ID: ZoneOptions]?
  ) {
    self.init(
      recordZoneIDs: recordZoneIDs,
      configurationsByRecordZoneID: optionsByRecordZoneID
    )
  }

  override func perform() async {
    let feed = ZoneFeed(zones: zones, readsAll: fetchAllChanges)
    let error = await feed.run(in: target, Patience(resolvedConfiguration)) { event in
      deliver { [self] in report(event) }
    }
    deliver { [self] in
      fetchRecordZoneChangesCompletionBlock?(error)
      fetchRecordZoneChangesResultBlock?(error.map { .failure($0) } ?? .success(()))
    }
  }

  private var zones: [ZoneFeed.Zone] {
    let configurations = configurationsByRecordZoneID ?? [:]
    return (recordZoneIDs ?? Array(configurations.keys)).map { id in
      ZoneFeed.Zone(id: id, configurations[id] ?? ZoneConfiguration())
    }
  }

  private func report(_ event: ZoneFeed.Event) {
    switch event {
    case .changed(let id, let result):
      if case .success(let record) = result { recordChangedBlock?(record) }
      recordWasChangedBlock?(id, result.mapError { $0 })
    case .deleted(let id, let type): recordWithIDWasDeletedBlock?(id, type)
    case .passed(let zone, let position):
      recordZoneChangeTokensUpdatedBlock?(zone, position.token, position.mark)
    case .ended(let zone, let result):
      let position = result.success
      recordZoneFetchCompletionBlock?(
        zone,
        position?.token,
        position?.mark,
        position?.moreComing ?? false,
        result.failure
      )
      recordZoneFetchResultBlock?(
        zone,
        result.map { ($0.token, $0.mark, $0.moreComing) }.mapError { $0 }
      )
    }
  }
}

/// Where to begin in a zone, as older code names it.
public typealias CKFetchRecordZoneChangesOptions = CKFetchRecordZoneChangesOperation.ZoneOptions

extension ZoneFeed.Zone {
  init(
    id: CKRecordZone.ID,
    _ configuration: CKFetchRecordZoneChangesOperation.ZoneConfiguration
  ) {
    self.init(
      id: id,
      token: configuration.previousServerChangeToken?.bytes ?? [],
      limit: configuration.resultsLimit,
      desiredKeys: configuration.desiredKeys
    )
  }
}
