import Foundation

#if canImport(CloudKit)
import CloudKit
#else
import TidingsKit
#endif

/// An application of the middle years: operations with completion blocks, tokens in archives.
final class WordSync {
  static let zoneID = CKRecordZone.ID(zoneName: "Words", ownerName: CKCurrentUserDefaultName)

  let database: CKDatabase
  let container: CKContainer
  let queue = OperationQueue()
  var words: [CKRecord.ID: String] = [:]
  var zoneTokenData: Data?
  var notificationToken: CKServerChangeToken?

  init(container: CKContainer) {
    self.container = container
    database = container.privateCloudDatabase
    queue.maxConcurrentOperationCount = 1
  }

  func createZone(then: @escaping (Error?) -> Void) {
    let operation = CKModifyRecordZonesOperation(
      recordZonesToSave: [CKRecordZone(zoneID: Self.zoneID)],
      recordZoneIDsToDelete: nil
    )
    operation.modifyRecordZonesCompletionBlock = { savedZones, _, error in
      if error == nil { print("zones", savedZones?.count ?? 0) }
      then(error)
    }
    operation.qualityOfService = .utility
    database.add(operation)
  }

  func upload(_ list: [String], then: @escaping (Int, Error?) -> Void) {
    let records = list.map { word -> CKRecord in
      let id = CKRecord.ID(recordName: word, zoneID: Self.zoneID)
      let record = CKRecord(recordType: "Word", recordID: id)
      record["text"] = word
      record["length"] = word.count
      return record
    }
    let operation = CKModifyRecordsOperation(recordsToSave: records, recordIDsToDelete: nil)
    operation.savePolicy = .changedKeys
    operation.isAtomic = true
    operation.perRecordCompletionBlock = { record, error in
      if let error = error { print("\(record.recordID.recordName): \(error.localizedDescription)") }
    }
    operation.modifyRecordsCompletionBlock = { saved, deleted, error in
      if let error = error as? CKError, error.code == CKError.Code.limitExceeded {
        let half = list.count / 2
        self.upload(Array(list[..<half])) { _, _ in }
        self.upload(Array(list[half...])) { _, _ in }
        return
      }
      then(saved?.count ?? 0, error)
    }
    database.add(operation)
  }

  var previousToken: CKServerChangeToken? {
    get {
      guard let data = zoneTokenData else { return nil }
      return try? NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: data)
    }
    set {
      zoneTokenData = newValue.flatMap {
        try? NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true)
      }
    }
  }

  func download(then: @escaping (Error?) -> Void) {
    let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
    configuration.previousServerChangeToken = previousToken
    let operation = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: [Self.zoneID],
      configurationsByRecordZoneID: [Self.zoneID: configuration]
    )
    operation.fetchAllChanges = true
    operation.recordChangedBlock = { record in
      self.words[record.recordID] = record["text"] as? String
    }
    operation.recordWithIDWasDeletedBlock = { recordID, recordType in
      assert(recordType == "Word")
      self.words[recordID] = nil
    }
    operation.recordZoneChangeTokensUpdatedBlock = { _, token, _ in
      self.previousToken = token
    }
    operation.recordZoneFetchCompletionBlock = { zoneID, token, _, _, error in
      if let error = error as? CKError, error.code == .changeTokenExpired {
        self.previousToken = nil
        self.words.removeAll()
        return
      }
      if let token = token { self.previousToken = token }
    }
    operation.fetchRecordZoneChangesCompletionBlock = { error in
      then(error)
    }
    queue.addOperation(operation.on(database))
  }

  /// Missed notifications, page after page, marked read.
  func catchUp(found: [CKNotification] = [], then: @escaping ([CKNotification]) -> Void) {
    var notifications = found
    var readIDs: [CKNotification.ID] = []
    let operation = CKFetchNotificationChangesOperation(
      previousServerChangeToken: notificationToken
    )
    operation.container = container
    operation.notificationChangedBlock = { notification in
      notifications.append(notification)
      if let id = notification.notificationID { readIDs.append(id) }
    }
    operation.fetchNotificationChangesCompletionBlock = { [unowned operation] token, error in
      guard error == nil else { return then(notifications) }
      self.notificationToken = token
      let moreComing = operation.moreComing
      let mark = CKMarkNotificationsReadOperation(notificationIDsToMarkRead: readIDs)
      mark.container = self.container
      mark.markNotificationsReadCompletionBlock = { _, _ in
        if moreComing {
          self.catchUp(found: notifications, then: then)
        } else {
          then(notifications)
        }
      }
      self.queue.addOperation(mark)
    }
    queue.addOperation(operation)
  }
}

extension CKDatabaseOperation {
  fileprivate func on(_ database: CKDatabase) -> Self {
    self.database = database
    return self
  }
}
