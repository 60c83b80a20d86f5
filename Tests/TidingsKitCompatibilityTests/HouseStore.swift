import Foundation

#if canImport(CloudKit)
import CloudKit
#else
import TidingsKit
#endif

/// An application of the first years: completion handlers, and the names of Swift 3.
class HouseStore {
  struct House {
    var recordID: CKRecordID?
    var title: String
    var price: Int
    var photo: URL?
    var added: Date?

    init(title: String, price: Int, photo: URL? = nil) {
      self.title = title
      self.price = price
      self.photo = photo
    }

    init?(record: CKRecord) {
      guard let title = record["title"] as? String else { return nil }
      self.title = title
      price = record.object(forKey: "price") as? Int ?? 0
      photo = (record["photo"] as? CKAsset)?.fileURL
      added = record.creationDate
      recordID = record.recordID
    }
  }

  let container: CKContainer
  let publicDB: CKDatabase
  var houses: [House] = []
  var onError: ((Error) -> Void)?

  init(container: CKContainer = CKContainer.default()) {
    self.container = container
    publicDB = container.publicCloudDatabase
  }

  func add(_ house: House, completion: @escaping (CKRecord?, Error?) -> Void) {
    let record = CKRecord(recordType: "House")
    record.setObject(house.title as CKRecordValue, forKey: "title")
    record["price"] = house.price as CKRecordValue
    if let photo = house.photo {
      record.setObject(CKAsset(fileURL: photo), forKey: "photo")
    }
    publicDB.save(record) { saved, error in
      guard let saved = saved, error == nil else {
        completion(nil, error)
        return
      }
      completion(saved, nil)
    }
  }

  func load(cheaperThan price: Int, completion: @escaping () -> Void) {
    let predicate = NSPredicate(format: "price < %d", price)
    let query = CKQuery(recordType: "House", predicate: predicate)
    query.sortDescriptors = [NSSortDescriptor(key: "price", ascending: true)]
    publicDB.perform(query, inZoneWith: nil) { results, error in
      if let error = error {
        self.onError?(error)
      }
      self.houses = results?.compactMap { House(record: $0) } ?? []
      completion()
    }
  }

  func subscribe(completion: @escaping (Error?) -> Void) {
    let subscription = CKQuerySubscription(
      recordType: "House",
      predicate: NSPredicate(value: true),
      subscriptionID: "new-houses",
      options: [.firesOnRecordCreation]
    )
    let info = CKNotificationInfo()
    info.alertLocalizationKey = "NEW_HOUSE"
    info.alertLocalizationArgs = ["title"]
    info.soundName = "default"
    info.shouldBadge = true
    info.desiredKeys = ["title", "price"]
    subscription.notificationInfo = info
    publicDB.save(subscription) { _, error in
      completion(error)
    }
  }

  /// The delegate's method, as applications call it.
  func received(_ userInfo: [AnyHashable: Any], completion: @escaping (CKRecord?) -> Void) {
    guard let notification = CKNotification(fromRemoteNotificationDictionary: userInfo),
      notification.notificationType == .query,
      let queryNotification = notification as? CKQueryNotification,
      let recordID = queryNotification.recordID
    else { return completion(nil) }
    switch queryNotification.queryNotificationReason {
    case .recordCreated, .recordUpdated:
      publicDB.fetch(withRecordID: recordID) { record, _ in completion(record) }
    case .recordDeleted:
      houses.removeAll { $0.recordID == recordID }
      completion(nil)
    @unknown default:
      completion(nil)
    }
  }

  func remove(_ house: House, completion: @escaping (Bool) -> Void) {
    guard let id = house.recordID else { return completion(false) }
    publicDB.delete(withRecordID: id) { deletedID, error in
      completion(deletedID == id && error == nil)
    }
  }
}
