#if canImport(CloudKit)
import CloudKit
#else
import TidingsKit
#endif

/// A program as it was written for CloudKit years ago, with names, closures and captured variables of
/// that time, and one function as it would be written now.
class WhistleStore {
  let container: CKContainer
  let privateDB: CKDatabase
  var token: CKServerChangeToken?
  var whistles: [CKRecord] = []
  var zoneTokens: [CKRecordZoneID: CKServerChangeToken] = [:]
  let queue = OperationQueue()

  init(_ container: CKContainer) {
    self.container = container
    privateDB = container.privateCloudDatabase
  }

  func load(completion: @escaping ([CKRecord], Error?) -> Void) {
    let pred = NSPredicate(value: true)
    let sort = NSSortDescriptor(key: "creationDate", ascending: false)
    let query = CKQuery(recordType: "Whistles", predicate: pred)
    query.sortDescriptors = [sort]
    let operation = CKQueryOperation(query: query)
    operation.desiredKeys = ["genre", "comments"]
    operation.resultsLimit = 50
    var newWhistles: [CKRecord] = []
    operation.recordFetchedBlock = { record in
      newWhistles.append(record)
    }
    operation.queryCompletionBlock = { [unowned self] (cursor, error) in
      if error == nil {
        self.whistles = newWhistles
      } else {
        print(error!.localizedDescription)
      }
      completion(newWhistles, error)
    }
    privateDB.add(operation)
  }

  func more(_ cursor: CKQueryCursor) {
    let op = CKQueryOperation(cursor: cursor)
    op.qualityOfService = .userInitiated
    op.recordMatchedBlock = { (id, result) in
      switch result {
      case .success(let record): self.whistles.append(record)
      case .failure(let error): print(id, error)
      }
    }
    op.queryResultBlock = { result in
      switch result {
      case .success(let cursor):
        if let cursor = cursor { self.more(cursor) }
      case .failure(let error): print(error)
      }
    }
    privateDB.add(op)
  }

  func find(_ ref: CKReference, since date: Date, callback: @escaping ([CKRecord]) -> Void) {
    let p1 = NSPredicate(format: "owningWhistle == %@", ref)
    let p2 = NSPredicate(format: "modificationDate > %@", date as NSDate)
    let p3 = NSPredicate(format: "%K >= %d", argumentArray: ["stars", 3])
    let p = NSCompoundPredicate(type: .and, subpredicates: [p1, p2, p3])
    privateDB.perform(CKQuery(recordType: "Suggestions", predicate: p), inZoneWith: nil) {
      [unowned self] results, error in
      if let error = error {
        print(error.localizedDescription)
      } else {
        if let results = results {
          self.whistles = results
          callback(results)
        }
      }
    }
  }

  func save(_ name: String, completion: @escaping (Error?) -> Void) {
    let recordID = CKRecordID(recordName: name)
    privateDB.fetch(withRecordID: recordID) { record, error in
      if let ckerror = error as? CKError, ckerror.code == CKError.unknownItem {
        let new = CKRecord(recordType: "Whistles", recordID: recordID)
        new["x"] = 5
        self.privateDB.save(new) { _, error in completion(error) }
      } else if let record = record {
        record["x"] = (record["x"] as? Int ?? 0) + 1 as CKRecordValue
        let modify = CKModifyRecordsOperation(recordsToSave: [record], recordIDsToDelete: nil)
        modify.savePolicy = .changedKeys
        modify.modifyRecordsCompletionBlock = { saved, deleted, error in
          defer { completion(error) }
          if let error = error as? CKError {
            if error.code == .partialFailure {
              let dict = error.userInfo[CKPartialErrorsByItemIDKey] as? NSDictionary
              print(dict as Any, error.partialErrorsByItemID?.count ?? 0)
            }
            if let retry = error.userInfo[CKErrorRetryAfterKey] as? Double {
              DispatchQueue.main.asyncAfter(deadline: .now() + retry) {
                self.save(name, completion: completion)
              }
            }
          }
        }
        self.privateDB.add(modify)
      }
    }
  }

  func createZone(completion: @escaping (Error?) -> Void) {
    let zone = CKRecordZone(
      zoneID: CKRecordZoneID(zoneName: "Notes", ownerName: CKCurrentUserDefaultName)
    )
    let op = CKModifyRecordZonesOperation(recordZonesToSave: [zone], recordZoneIDsToDelete: [])
    op.modifyRecordZonesCompletionBlock = { (savedZones, deletedZoneIDs, error) in completion(error)
    }
    op.qualityOfService = .utility
    privateDB.add(op)
  }

  func fetchChanges(completion: @escaping () -> Void) {
    var changed: [CKRecordZoneID] = []
    let op = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
    op.fetchAllChanges = true
    op.recordZoneWithIDChangedBlock = { (zoneID) in changed.append(zoneID) }
    op.recordZoneWithIDWasDeletedBlock = { (zoneID) in print(zoneID) }
    op.changeTokenUpdatedBlock = { (token) in self.token = token }
    op.fetchDatabaseChangesCompletionBlock = { (token, moreComing, error) in
      if let error = error {
        print(error)
        completion()
        return
      }
      self.token = token
      self.fetchZones(changed, completion: completion)
    }
    privateDB.add(op)
  }

  func fetchZones(_ ids: [CKRecordZoneID], completion: @escaping () -> Void) {
    var options: [CKRecordZoneID: CKFetchRecordZoneChangesOptions] = [:]
    for id in ids {
      let o = CKFetchRecordZoneChangesOptions()
      o.previousServerChangeToken = zoneTokens[id]
      options[id] = o
    }
    let op = CKFetchRecordZoneChangesOperation(recordZoneIDs: ids, optionsByRecordZoneID: options)
    op.recordChangedBlock = { (record) in print(record) }
    op.recordWithIDWasDeletedBlock = { (recordId, type) in print(recordId, type) }
    op.recordZoneChangeTokensUpdatedBlock = { (zoneId, token, data) in
      self.zoneTokens[zoneId] = token
    }
    op.recordZoneFetchCompletionBlock = { (zoneId, changeToken, _, _, error) in
      if let error = error {
        print(error)
        return
      }
      self.zoneTokens[zoneId] = changeToken
    }
    op.fetchRecordZoneChangesCompletionBlock = { (error) in completion() }
    op.database = privateDB
    let config = CKFetchRecordZoneChangesOperation.ZoneConfiguration(
      previousServerChangeToken: token,
      resultsLimit: nil,
      desiredKeys: nil
    )
    let op2 = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: ids,
      configurationsByRecordZoneID: [ids[0]: config]
    )
    op2.recordWasChangedBlock = { id, result in _ = try? result.get() }
    op2.recordZoneFetchResultBlock = { zoneID, result in
      switch result {
      case .success((let token, _, let more)):
        self.zoneTokens[zoneID] = token
        print(more)
      case .failure(let error): print(error)
      }
      if case .success(let s) = result {
        print(s.serverChangeToken, s.clientChangeTokenData as Any, s.moreComing)
      }
    }
    op2.fetchRecordZoneChangesResultBlock = { result in
      switch result {
      case .success: break
      case .failure(let e): print(e)
      }
    }
    op.addDependency(op2)
    queue.addOperation(op)
    privateDB.add(op2)
  }

  func modern() async throws -> [String] {
    let query = CKQuery(recordType: "Whistles", predicate: NSPredicate(format: "TRUEPREDICATE"))
    let (matchResults, cursor) = try await privateDB.records(
      matching: query,
      inZoneWith: .default,
      desiredKeys: ["x"],
      resultsLimit: 100
    )
    assert(cursor == nil)
    let whistles = matchResults.compactMap { _, result in try? result.get() }
    let result = try await privateDB.modifyRecords(
      saving: whistles,
      deleting: [],
      savePolicy: .allKeys,
      atomically: false
    )
    for (id, saved) in result.saveResults {
      if case .failure(let error) = saved { print(id, error) }
    }
    var names: [String] = []
    var token: CKServerChangeToken?
    var awaitingChanges = true
    while awaitingChanges {
      let changes = try await privateDB.recordZoneChanges(inZoneWith: .default, since: token)
      let records = changes.modificationResultsByID.compactMapValues { try? $0.get().record }
      for record in records.values { names.append(record.recordID.recordName) }
      let deletedIDs = changes.deletions.map { $0.recordID.recordName }
      names.removeAll { deletedIDs.contains($0) }
      token = changes.changeToken
      awaitingChanges = changes.moreComing
    }
    do {
      _ = try await privateDB.modifyRecordZones(
        saving: [],
        deleting: [CKRecordZoneID(zoneName: "C")]
      )
    } catch let error as CKError where error.code == .zoneNotFound {
      print(error)
    }
    let group = CKOperationGroup()
    group.name = "whistles"
    let configuration = CKOperation.Configuration()
    configuration.timeoutIntervalForRequest = 600
    _ = try await privateDB.configuredWith(configuration: configuration, group: group) { database in
      try await database.deleteRecord(withID: whistles[0].recordID)
    }
    return names
  }
}
