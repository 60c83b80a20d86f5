import Foundation
import Testing
import TidingsKit

/// Dictionaries as they are written down in tests of applications: of Swift's values.
@Suite struct NotificationTests {
  @Test("a pruned push shows what is left of it")
  func pruned() throws {
    let userInfo: [AnyHashable: Any] = [
      "ck": [
        "ce": 2, "cid": "houses", "nid": "n-1", "p": 1, "qry": ["dbs": 2, "fo": 3, "sid": "s"],
      ] as [String: Any]
    ]
    let notification = try #require(
      CKQueryNotification(fromRemoteNotificationDictionary: userInfo)
    )
    #expect(notification.isPruned && notification.isPublicDatabase)
    #expect(notification.recordID == nil && notification.recordFields == nil)
    #expect(notification.queryNotificationReason == .recordDeleted)
    #expect(notification.containerIdentifier == "houses" && notification.subscriptionID == "s")
    #expect(notification.alertBody == nil && notification.badge == nil)
    #expect(notification.subscriptionOwnerUserRecordID == nil)
  }

  @Test("a zone of somebody else keeps its owner, one's own is the current user's")
  func owners() {
    func zone(_ scope: Int) -> CKRecordZone.ID? {
      let push = ["dbs": scope, "sid": "s", "zid": "notes", "zoid": "bob"] as [String: Any]
      let userInfo: [AnyHashable: Any] = ["ck": ["fet": push] as [String: Any]]
      let notification = CKNotification(fromRemoteNotificationDictionary: userInfo)
      #expect(notification?.containerIdentifier == nil && notification?.isPruned == false)
      return (notification as? CKRecordZoneNotification)?.recordZoneID
    }
    #expect(zone(1) == CKRecordZone.ID(zoneName: "notes"))
    #expect(zone(3) == CKRecordZone.ID(zoneName: "notes", ownerName: "bob"))
  }

  @Test("other pushes, and other classes, are nil")
  func others() {
    let others: [[AnyHashable: Any]] = [
      [:], ["ck": "text"], ["ck": [String: Any]()], ["aps": ["alert": "hello"]],
    ]
    for userInfo in others {
      #expect(CKNotification(fromRemoteNotificationDictionary: userInfo) == nil)
    }
    let database: [AnyHashable: Any] = ["ck": ["met": ["dbs": 1, "sid": "s"] as [String: Any]]]
    #expect(CKNotification(fromRemoteNotificationDictionary: database) is CKDatabaseNotification)
    #expect(CKQueryNotification(fromRemoteNotificationDictionary: database) == nil)
  }
}
