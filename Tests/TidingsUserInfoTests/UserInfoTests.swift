internal import Testing
internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsUserInfo

/// Dictionaries as CloudKit delivers them, with our names in them.
@Suite struct UserInfoTests {
  private func notification(
    _ type: TidingsV1.NotificationType,
    scope: TidingsV1.DatabaseScope = .private,
    zone: String = "",
    info: TidingsV1.NotificationInfo? = nil
  ) -> TidingsV1.Notification {
    TidingsV1.Notification(
      notificationID: "12-345",
      type: type,
      subscriptionID: "all",
      databaseID: .init(container: "diary", environment: .production, scope: scope),
      recordID: .init(zoneID: zone.isEmpty ? nil : .init(zoneName: zone)),
      notificationInfo: info
    )
  }

  private func text(_ notification: TidingsV1.Notification, badge: UInt32? = nil) -> String {
    UserInfo(notification, for: "ada", badge: badge).text
  }

  @Test("a query subscription: database, reason, record, zone, fields")
  func query() {
    var info = TidingsV1.NotificationInfo()
    info.alertBody = "New entry"
    info.soundName = "default"
    info.shouldBadge = true
    var query = notification(.query, info: info)
    query.reason = .recordCreated
    query.recordID?.recordName = "entry-1"
    query.recordFields = [
      "title": .init(value: .stringValue("Monday")),
      "pages": .init(value: .int64Value(3)),
    ]
    #expect(
      text(query, badge: 7) == """
        {"aps":{"alert":"New entry","badge":7,"sound":"default"},\
        "ck":{"ce":2,"cid":"diary","ckuserid":"ada","nid":"12-345",\
        "qry":{"dbs":1,"sid":"all","zid":"_defaultZone","zoid":"ada","fo":1,"rid":"entry-1",\
        "af":{"pages":3,"title":"Monday"}}}}
        """
    )
  }

  @Test("the public database is 2, and its zones are nobody's")
  func publicDatabase() {
    var query = notification(.query, scope: .public)
    query.reason = .recordDeleted
    query.recordID?.recordName = "r"
    query.isPruned = true
    #expect(
      text(query) == """
        {"ck":{"ce":2,"cid":"diary","ckuserid":"ada","nid":"12-345","p":1,\
        "qry":{"dbs":2,"sid":"all","zid":"_defaultZone","zoid":"_defaultOwner","fo":3,"rid":"r"}}}
        """
    )
  }

  @Test(
    "zone and database subscriptions",
    arguments: [
      (TidingsV1.NotificationType.recordZone, "fet"), (.database, "met"),
    ]
  )
  func zones(type: TidingsV1.NotificationType, key: String) {
    var info = TidingsV1.NotificationInfo()
    info.shouldSendContentAvailable = true
    #expect(
      text(notification(type, zone: "notes", info: info)) == """
        {"aps":{"content-available":1},"ck":{"ce":2,"cid":"diary","ckuserid":"ada","nid":"12-345",\
        "\(key)":{"dbs":1,"sid":"all","zid":"notes","zoid":"ada"}}}
        """
    )
  }

  @Test(
    "records that enter and leave are updates to CloudKit; our own key shows which",
    arguments: [
      (TidingsV1.QueryNotificationReason.recordUpdated, 2, nil), (.recordEntered, 2, "entered"),
      (.recordLeft, 2, "left"),
    ] as [(TidingsV1.QueryNotificationReason, Int, String?)]
  )
  func reasons(reason: TidingsV1.QueryNotificationReason, number: Int, name: String?) {
    var query = notification(.query)
    query.reason = reason
    let json = UserInfo(query, for: "ada").json.object
    #expect(json?["ck"]?.object?["qry"]?.object?["fo"] == .integer(number))
    #expect(json?["tid"]?.object?["reason"]?.string == name)
  }

  @Test("an alert with a title or keys is a dictionary; a key wins over its text")
  func alerts() {
    var info = TidingsV1.NotificationInfo()
    info.alertBody = "text"
    info.title = "Title"
    info.subtitle = "Subtitle"
    info.category = "entries"
    info.shouldSendMutableContent = true
    #expect(
      UserInfo(notification(.query, info: info), for: "ada").json.object?["aps"]?.description == """
        {"alert":{"title":"Title","subtitle":"Subtitle","body":"text"},"category":"entries",\
        "mutable-content":1}
        """
    )
    info.alertLocalizationKey = "NEW"
    info.titleLocalizationKey = "TITLE"
    info.subtitleLocalizationKey = "SUBTITLE"
    info.alertActionLocalizationKey = "OPEN"
    info.alertLaunchImage = "launch.png"
    var query = notification(.query, info: info)
    query.alertLocalizationValues = ["Monday", "3"]
    query.titleLocalizationValues = ["t"]
    query.subtitleLocalizationValues = ["s"]
    #expect(
      UserInfo(query, for: "ada").json.object?["aps"]?.object?["alert"]?.description == """
        {"title-loc-key":"TITLE","title-loc-args":["t"],\
        "subtitle-loc-key":"SUBTITLE","subtitle-loc-args":["s"],\
        "loc-key":"NEW","loc-args":["Monday","3"],\
        "action-loc-key":"OPEN","launch-image":"launch.png"}
        """
    )
  }

  @Test("values of all kinds are plain JSON")
  func values() {
    var query = notification(.query)
    query.recordFields = [
      "bytes": .init(value: .bytesValue([1, 2, 3])),
      "double": .init(value: .doubleValue(1.5)),
      "list": .init(value: .int64ListValue(.init(values: [1, 2]))),
      "none": .init(),
      "place": .init(value: .locationValue(.init(latitude: 1, longitude: -2))),
      "reference": .init(value: .referenceValue(.init(recordID: .init(recordName: "other")))),
      "time": .init(value: .timestampValue(.init(seconds: 2, nanos: 345_000_000))),
    ]
    let fields = UserInfo(query, for: "ada").json.object?["ck"]?.object?["qry"]?.object?["af"]
    #expect(
      fields?.description == """
        {"bytes":"AQID","double":1.5,"list":[1,2],"none":null,\
        "place":{"latitude":1.0,"longitude":-2.0},"reference":"other","time":2345}
        """
    )
  }

  @Test("a read mark shows what was read and no more")
  func readMark() {
    let mark = TidingsV1.Notification(
      notificationID: "12-345",
      type: .readNotification,
      databaseID: .init(container: "diary")
    )
    #expect(
      text(mark) == #"{"ck":{"ce":2,"cid":"diary","ckuserid":"ada","nid":"12-345"}}"#
    )
  }
}
