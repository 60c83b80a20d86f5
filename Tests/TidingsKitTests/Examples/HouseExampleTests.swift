import Foundation
import TestSupport
import Testing

#if canImport(CloudKit)
import CloudKit
#else
import TidingsKit
#endif

/// Houses with photos in the public database: whoever follows a town is notified of new ones.
private final class HouseStore: CKRemoteNotificationDelegate {
  let container: CKContainer
  let alerts = Observed<[String]>([])
  let photos = Observed<[Data]>([])
  let isRegistered = Observed(false)

  init(_ container: CKContainer) { self.container = container }

  /// Offers a house.
  func offer(
    _ title: String,
    in town: String,
    photo: URL,
    done: @escaping @Sendable ((any Error)?) -> Void
  ) {
    let house = CKRecord(recordType: "House")
    house["title"] = title as any CKRecordValue
    house["town"] = town
    house["photo"] = CKAsset(fileURL: photo)
    container.publicCloudDatabase.save(house) { _, error in done(error) }
  }

  /// Follows a town.
  func follow(town: String, done: @escaping @Sendable ((any Error)?) -> Void) {
    let predicate = NSPredicate(format: "town = %@", town)
    let subscription = CKSubscription(
      recordType: "House",
      predicate: predicate,
      options: .firesOnRecordCreation
    )
    let notification = CKNotificationInfo()
    notification.alertLocalizationKey = "%1$@ is for sale"
    notification.alertLocalizationArgs = ["title"]
    notification.soundName = "default"
    subscription.notificationInfo = notification
    container.publicCloudDatabase.save(subscription) { _, error in done(error) }
  }

  func containerDidRegisterForRemoteNotifications(_ container: CKContainer) {
    isRegistered.update { $0 = true }
  }

  func container(
    _ container: CKContainer,
    didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping @Sendable (CKBackgroundFetchResult) -> Void
  ) {
    let cloudNotification = CKNotification(
      fromRemoteNotificationDictionary: userInfo as! [String: NSObject]
    )
    guard let notification = cloudNotification, notification.notificationType == .query,
      let query = notification as? CKQueryNotification, let recordID = query.recordID
    else { return completionHandler(.noData) }
    let text = notification.alertLocalizationArgs?.first ?? ""
    alerts.update { $0.append(text) }
    container.publicCloudDatabase.fetch(withRecordID: recordID) { house, error in
      if let photo = house?["photo"] as? CKAsset, let url = photo.fileURL,
        let data = try? Data(contentsOf: url)
      {
        self.photos.update { $0.append(data) }
        completionHandler(.newData)
      } else {
        completionHandler(error == nil ? .noData : .failed)
      }
    }
  }
}

@Suite(.endsServers) struct HouseExampleTests {
  @Test("a house app: who follows a town is notified of its new houses, and sees their photos")
  func houses() async throws {
    let kit = try await KitServer()
    let buyer = HouseStore(kit.container(as: "ada", device: "phone"))
    let seller = HouseStore(kit.container(as: "bob", device: "laptop"))
    await withCheckedContinuation { continuation in
      buyer.follow(town: "Riga") { error in
        #expect(error == nil)
        continuation.resume()
      }
    }
    buyer.container.registerForRemoteNotifications(delegate: buyer)
    try await buyer.isRegistered.wait("the registration") { $0 }
    let folder = try TemporaryFolder()
    let photo = URL(fileURLWithPath: folder.file("villa.jpg"))
    try Data("a photo".utf8).write(to: photo)
    for (title, town) in [("Hut", "Oslo"), ("Villa", "Riga")] {
      await withCheckedContinuation { continuation in
        seller.offer(title, in: town, photo: photo) { error in
          #expect(error == nil)
          continuation.resume()
        }
      }
    }
    try await buyer.photos.wait("the photo") { !$0.isEmpty }
    #expect(buyer.photos.value == [Data("a photo".utf8)])
    #expect(buyer.alerts.value == ["Villa"])
  }
}
