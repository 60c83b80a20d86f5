import Foundation

#if canImport(CloudKit)
import CloudKit
#else
import TidingsKit
#endif

/// What applications keep in one class of many methods: retries, cursors, shares, users, zones.
class TrailCloud: NSObject {
  enum Scope { case mine, everybody }

  static let zone = CKRecordZone(zoneName: "Trails")
  static let recordType: CKRecord.RecordType = "Trail"

  let container: CKContainer
  lazy var privateDatabase = container.privateCloudDatabase
  lazy var sharedDatabase = container.database(with: .shared)
  private var databaseToken: CKServerChangeToken?
  private var zoneTokens: [CKRecordZone.ID: CKServerChangeToken] = [:]
  private(set) var userID: CKRecord.ID?
  private let queue: OperationQueue = {
    let queue = OperationQueue()
    queue.qualityOfService = .userInitiated
    return queue
  }()

  init(_ container: CKContainer) {
    self.container = container
    super.init()
  }

  func whoAmI(_ completion: @escaping (String?) -> Void) {
    container.accountStatus { status, error in
      switch status {
      case .available:
        self.container.fetchUserRecordID { id, error in
          self.userID = id
          completion(id?.recordName)
        }
      case .noAccount, .restricted, .couldNotDetermine: completion(nil)
      default: completion(nil)
      }
    }
  }

  func prepare(_ completion: @escaping (Error?) -> Void) {
    let createZone = CKModifyRecordZonesOperation(
      recordZonesToSave: [Self.zone],
      recordZoneIDsToDelete: []
    )
    createZone.modifyRecordZonesResultBlock = { result in
      if case .failure(let error) = result { completion(error) }
    }
    createZone.database = privateDatabase
    let subscription = CKRecordZoneSubscription(
      zoneID: Self.zone.zoneID,
      subscriptionID: "trails"
    )
    let info = CKSubscription.NotificationInfo()
    info.shouldSendContentAvailable = true
    info.alertBody = ""
    subscription.notificationInfo = info
    let subscribe = CKModifySubscriptionsOperation(
      subscriptionsToSave: [subscription],
      subscriptionIDsToDelete: []
    )
    subscribe.modifySubscriptionsCompletionBlock = { saved, deleted, error in
      completion(error)
    }
    subscribe.database = privateDatabase
    subscribe.addDependency(createZone)
    queue.addOperations([createZone, subscribe], waitUntilFinished: false)
  }

  func save(
    _ names: [String],
    below parent: String,
    completion: @escaping (Result<Int, Error>) -> Void
  ) {
    let zoneID = Self.zone.zoneID
    let root = CKRecord(
      recordType: "Park",
      recordID: CKRecord.ID(recordName: parent, zoneID: zoneID)
    )
    root["name"] = parent
    var records = [root]
    for name in names {
      let record = CKRecord(
        recordType: Self.recordType,
        recordID: .init(recordName: name, zoneID: zoneID)
      )
      record["name"] = name
      record["park"] = CKRecord.Reference(record: root, action: .deleteSelf)
      record["start"] = CLLocation(latitude: 46.5, longitude: 7.9)
      record["kilometers"] = Double(name.count) * 1.5
      record["isOpen"] = true
      record.setParent(root)
      records.append(record)
    }
    let operation = CKModifyRecordsOperation(recordsToSave: records)
    operation.savePolicy = .allKeys
    operation.configuration.timeoutIntervalForRequest = 30
    operation.configuration.qualityOfService = .userInitiated
    var saved = 0
    operation.perRecordSaveBlock = { id, result in
      switch result {
      case .success: saved += 1
      case .failure(let error): print(id.recordName, error)
      }
    }
    operation.modifyRecordsResultBlock = { result in
      switch result {
      case .success: completion(.success(saved))
      case .failure(let error):
        if let error = error as? CKError, let seconds = error.retryAfterSeconds {
          DispatchQueue.global().asyncAfter(deadline: .now() + seconds) {
            self.save(names, below: parent, completion: completion)
          }
        } else if let failures = (error as? CKError)?.partialErrorsByItemID as? [CKRecord.ID: Error]
        {
          completion(.failure(failures.values.first ?? error))
        } else {
          completion(.failure(error))
        }
      }
    }
    privateDatabase.add(operation)
  }

  func trails(longerThan kilometers: Double, completion: @escaping ([CKRecord], Error?) -> Void) {
    let predicate = NSPredicate(
      format: "kilometers > %f AND %K == %@",
      kilometers,
      "isOpen",
      NSNumber(value: true)
    )
    let query = CKQuery(recordType: Self.recordType, predicate: predicate)
    query.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    run(CKQueryOperation(query: query), found: [], completion: completion)
  }

  private func run(
    _ operation: CKQueryOperation,
    found: [CKRecord],
    completion: @escaping ([CKRecord], Error?) -> Void
  ) {
    var records = found
    operation.zoneID = Self.zone.zoneID
    operation.resultsLimit = 3
    operation.desiredKeys = ["name", "kilometers"]
    operation.recordFetchedBlock = { records.append($0) }
    operation.queryCompletionBlock = { [weak self] cursor, error in
      guard let self = self, let cursor = cursor, error == nil else {
        return completion(records, error)
      }
      self.run(CKQueryOperation(cursor: cursor), found: records, completion: completion)
    }
    privateDatabase.add(operation)
  }

  func fetchChanges(
    in scope: CKDatabase.Scope,
    completion: @escaping ([CKRecord.ID: CKRecord], Error?) -> Void
  ) {
    let database = container.database(with: scope)
    var changed: [CKRecordZone.ID] = []
    let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: databaseToken)
    operation.fetchAllChanges = true
    operation.recordZoneWithIDChangedBlock = { changed.append($0) }
    operation.recordZoneWithIDWasDeletedBlock = { self.zoneTokens[$0] = nil }
    operation.changeTokenUpdatedBlock = { self.databaseToken = $0 }
    operation.fetchDatabaseChangesCompletionBlock = { token, moreComing, error in
      guard error == nil else { return completion([:], error) }
      self.databaseToken = token
      guard !changed.isEmpty else { return completion([:], nil) }
      self.fetchZones(changed, from: database, completion: completion)
    }
    database.add(operation)
  }

  private func fetchZones(
    _ ids: [CKRecordZone.ID],
    from database: CKDatabase,
    completion: @escaping ([CKRecord.ID: CKRecord], Error?) -> Void
  ) {
    var records: [CKRecord.ID: CKRecord] = [:]
    let configurations = Dictionary(
      uniqueKeysWithValues: ids.map { id in
        (
          id,
          CKFetchRecordZoneChangesOperation.ZoneConfiguration(
            previousServerChangeToken: zoneTokens[id],
            resultsLimit: nil,
            desiredKeys: nil
          )
        )
      }
    )
    let operation = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: ids,
      configurationsByRecordZoneID: configurations
    )
    operation.recordWasChangedBlock = { id, result in records[id] = try? result.get() }
    operation.recordWithIDWasDeletedBlock = { id, _ in records[id] = nil }
    operation.recordZoneFetchResultBlock = { id, result in
      if case .success(let (token, _, _)) = result { self.zoneTokens[id] = token }
    }
    operation.fetchRecordZoneChangesResultBlock = { result in
      switch result {
      case .success: completion(records, nil)
      case .failure(let error): completion(records, error)
      }
    }
    database.add(operation)
  }

  func share(_ name: String, completion: @escaping (URL?, Error?) -> Void) {
    let id = CKRecord.ID(recordName: name, zoneID: Self.zone.zoneID)
    privateDatabase.fetch(withRecordID: id) { record, error in
      guard let record = record else { return completion(nil, error) }
      let share = CKShare(rootRecord: record)
      share[CKShare.SystemFieldKey.title] = name as CKRecordValue
      share.publicPermission = .readWrite
      let operation = CKModifyRecordsOperation(
        recordsToSave: [record, share],
        recordIDsToDelete: nil
      )
      operation.modifyRecordsCompletionBlock = { saved, _, error in
        completion(share.url, error)
      }
      self.privateDatabase.add(operation)
    }
  }

  func accept(_ url: URL, completion: @escaping (CKShare?, Error?) -> Void) {
    let fetch = CKFetchShareMetadataOperation(shareURLs: [url])
    fetch.shouldFetchRootRecord = true
    fetch.perShareMetadataBlock = { url, metadata, error in
      guard let metadata = metadata else { return completion(nil, error) }
      let accept = CKAcceptSharesOperation(shareMetadatas: [metadata])
      var accepted: CKShare?
      accept.perShareCompletionBlock = { metadata, share, error in accepted = share }
      accept.acceptSharesCompletionBlock = { error in completion(accepted, error) }
      self.container.add(accept)
    }
    container.add(fetch)
  }

  func explain(_ error: Error) -> String {
    let error = error as NSError
    guard error.domain == CKErrorDomain, let code = CKError.Code(rawValue: error.code) else {
      return error.localizedDescription
    }
    switch code {
    case .networkFailure, .networkUnavailable, .serviceUnavailable, .requestRateLimited, .zoneBusy:
      let seconds = error.userInfo[CKErrorRetryAfterKey] as? NSNumber
      return "later, in \(seconds?.doubleValue ?? 3) s"
    case .notAuthenticated: return "sign in"
    case .partialFailure:
      let all = error.userInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: Error] ?? [:]
      return "\(all.count) failed"
    case .serverRecordChanged:
      let server = error.userInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord
      return "changed on the server: \(server?.recordChangeTag ?? "?")"
    default: return "code \(code.rawValue)"
    }
  }
}
