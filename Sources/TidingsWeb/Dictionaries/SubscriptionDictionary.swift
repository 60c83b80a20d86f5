internal import TidingsJSON
internal import TidingsProto

/// `{subscriptionID, subscriptionType, zoneID, zoneWide, query, firesOn, firesOnce, notificationInfo}`.
enum SubscriptionDictionary {
  static func read(
    _ input: WebInput,
    as schema: WebSchema? = nil,
    in database: WebDatabase
  ) throws(WebFailure) -> TidingsV1.Subscription {
    var subscription = TidingsV1.Subscription()
    subscription.subscriptionID = try input.string("subscriptionID") ?? ""
    let zone = try ZoneDictionary.read(input, in: database)
    switch try input.requiredString("subscriptionType") {
    case "query":
      let query = try QueryDictionary(input.requiredObject("query"), as: schema, in: database)
      subscription.type = .query
      subscription.recordType = query.recordType
      subscription.predicate = query.predicate
      // In a subscription all zones are meant unless one is named.
      if try input.bool("zoneWide") == false {
        subscription.zoneID = zone ?? .init(zoneName: ZoneDictionary.defaultName)
      } else {
        subscription.zoneID = zone
      }
      subscription.firesOnce = try input.bool("firesOnce") ?? false
      try readEvents(input, &subscription)
    case "zone":
      subscription.type = .recordZone
      subscription.zoneID = try ZoneDictionary.required(input, in: database)
    case "database": subscription.type = .database
    case let other:
      throw .badRequest(
        "\(input.path(to: "subscriptionType")) is '\(other)': use query, zone or database"
      )
    }
    if subscription.type != .query { try readWhole(input, &subscription) }
    if let info = try input.object("notificationInfo") {
      subscription.notificationInfo = try NotificationInfoDictionary.read(info)
    }
    return subscription
  }

  /// Subscriptions to a zone or a database fire on all changes, of one record type if one is named.
  private static func readWhole(
    _ input: WebInput,
    _ subscription: inout TidingsV1.Subscription
  ) throws(WebFailure) {
    if let query = try input.object("query") {
      try query.check(.query)
      subscription.recordType = try query.string("recordType") ?? ""
      guard try query.objects("filterBy").isEmpty else {
        throw .badRequest(
          "\(query.path(to: "filterBy")) is for subscriptions of the type query: this one fires for all records"
        )
      }
    }
    let events = Set(try input.strings("firesOn") ?? [])
    guard events.isEmpty || events == ["create", "update", "delete"],
      try input.bool("firesOnce") != true
    else {
      throw .badRequest(
        "\(input.path): firesOn and firesOnce are for subscriptions of the type query, this one fires on all changes"
      )
    }
  }

  private static func readEvents(
    _ input: WebInput,
    _ subscription: inout TidingsV1.Subscription
  ) throws(WebFailure) {
    for event in try input.strings("firesOn") ?? [] {
      switch event {
      case "create": subscription.firesOnRecordCreation = true
      case "update": subscription.firesOnRecordUpdate = true
      case "delete": subscription.firesOnRecordDeletion = true
      case "enter": subscription.firesOnRecordEnter = true
      case "leave": subscription.firesOnRecordLeave = true
      default:
        throw .badRequest(
          "\(input.path(to: "firesOn")) contains '\(event)': use create, update and delete"
        )
      }
    }
  }

  static func json(
    _ subscription: TidingsV1.Subscription,
    in database: WebDatabase
  ) -> JSONObject {
    var object: JSONObject = ["subscriptionID": .string(subscription.subscriptionID)]
    switch subscription.type {
    case .recordZone: object.append("subscriptionType", "zone")
    case .database: object.append("subscriptionType", "database")
    default: object.append("subscriptionType", "query")
    }
    if let zone = subscription.zoneID {
      object.append("zoneID", ZoneDictionary.json(zone, in: database))
    }
    if subscription.type == .query {
      object.append("zoneWide", .bool(subscription.zoneID == nil))
      object.append("query", query(subscription))
      object.append("firesOn", .array(events(subscription)))
      object.append("firesOnce", .bool(subscription.firesOnce))
    } else if !subscription.recordType.isEmpty {
      object.append("query", query(subscription))
    }
    if let info = subscription.notificationInfo {
      object.append("notificationInfo", .object(NotificationInfoDictionary.json(info)))
    }
    return object
  }

  /// The predicate is returned as text, which has all that a predicate can say; filters have not.
  private static func query(_ subscription: TidingsV1.Subscription) -> JSONValue {
    var object: JSONObject = [
      "recordType": .string(subscription.recordType), "filterBy": .array([]),
    ]
    if let text = subscription.predicate?.text, !text.isEmpty {
      object.append("predicate", .string(text))
    }
    return .object(object)
  }

  private static func events(_ subscription: TidingsV1.Subscription) -> [JSONValue] {
    var events: [JSONValue] = []
    if subscription.firesOnRecordCreation { events.append("create") }
    if subscription.firesOnRecordUpdate { events.append("update") }
    if subscription.firesOnRecordDeletion { events.append("delete") }
    if subscription.firesOnRecordEnter { events.append("enter") }
    if subscription.firesOnRecordLeave { events.append("leave") }
    return events
  }
}
