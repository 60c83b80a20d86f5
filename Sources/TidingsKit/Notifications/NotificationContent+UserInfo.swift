internal import Foundation
internal import TidingsProto

extension NotificationContent {
  /// The content of a push; `nil` when it is none of CloudKit's.
  ///
  /// - Parameter userInfo: CloudKit's dictionary, as `UserInfo` makes it.
  init?(userInfo: [AnyHashable: Any]) {
    guard let cloudKit = PushDictionary(userInfo["ck"]) else { return nil }
    var wire = TidingsV1.Notification(
      notificationID: cloudKit.text("nid"),
      databaseID: .init(container: cloudKit.text("cid")),
      isPruned: cloudKit.number("p") == 1
    )
    let own = PushDictionary(userInfo["tid"])
    if let query = PushDictionary(cloudKit["qry"]) {
      wire.type = .query
      Self.setLocation(query, &wire)
      wire.recordID?.recordName = query.text("rid")
      wire.reason = Self.reason(query.number("fo"), own?.text("reason"))
      wire.recordFields = PushDictionary(query["af"])?.fields ?? [:]
      wire.omittedKeys = own?.texts("omittedKeys") ?? []
    } else if let zone = PushDictionary(cloudKit["fet"]) {
      wire.type = .recordZone
      Self.setLocation(zone, &wire)
    } else if let database = PushDictionary(cloudKit["met"]) {
      wire.type = .database
      Self.setLocation(database, &wire)
    } else {
      return nil
    }
    let alert = PushDictionary(userInfo["aps"])
    if let alert { Self.setAlert(alert, &wire) }
    self.init(
      wire,
      for: cloudKit.text("ckuserid"),
      badge: alert?.number("badge").map { UInt32($0) }
    )
    isContainerKnown = cloudKit["cid"] != nil
  }

  /// Zones of the user, and of nobody, are the current user's to code that compares them.
  private static func setLocation(_ push: PushDictionary, _ wire: inout TidingsV1.Notification) {
    wire.subscriptionID = push.text("sid")
    let scope = push.number("dbs")
    wire.databaseID?.scope = scope == 2 ? .public : scope == 3 ? .shared : .private
    guard push["zid"] != nil else { return }
    let name = push.text("zid")
    let zone = TidingsV1.ZoneID(
      zoneName: name == CKRecordZone.ID.defaultZoneName ? "" : name,
      ownerName: scope == 3 ? push.text("zoid") : ""
    )
    wire.recordID = .init(zoneID: zone)
  }

  private static func reason(_ number: Int?, _ own: String?) -> TidingsV1.QueryNotificationReason {
    switch (number, own) {
    case (_, "entered"?): .recordEntered
    case (_, "left"?): .recordLeft
    case (1?, _): .recordCreated
    case (3?, _): .recordDeleted
    case (2?, _): .recordUpdated
    default: .unspecified
    }
  }

  private static func setAlert(_ push: PushDictionary, _ wire: inout TidingsV1.Notification) {
    var info = TidingsV1.NotificationInfo(
      soundName: push.text("sound"),
      shouldBadge: push["badge"] != nil,
      shouldSendContentAvailable: push.number("content-available") == 1,
      shouldSendMutableContent: push.number("mutable-content") == 1,
      category: push.text("category")
    )
    info.alertBody = push.text("alert")
    if let alert = PushDictionary(push["alert"]) {
      info.alertBody = alert.text("body")
      info.title = alert.text("title")
      info.subtitle = alert.text("subtitle")
      info.alertLocalizationKey = alert.text("loc-key")
      info.titleLocalizationKey = alert.text("title-loc-key")
      info.subtitleLocalizationKey = alert.text("subtitle-loc-key")
      info.alertActionLocalizationKey = alert.text("action-loc-key")
      info.alertLaunchImage = alert.text("launch-image")
      wire.alertLocalizationValues = alert.texts("loc-args")
      wire.titleLocalizationValues = alert.texts("title-loc-args")
      wire.subtitleLocalizationValues = alert.texts("subtitle-loc-args")
    }
    wire.notificationInfo = info
  }
}
