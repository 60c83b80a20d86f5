internal import TidingsJSON
internal import TidingsProto

/// Converts subscriptions to and from the JSON that is printed and that `--save` reads.
///
/// Like proto3's JSON mapping, but `type` is short (`QUERY`), `zoneName` replaces the zone's id, and
/// `predicate` is its text, or `{"text": …, "arguments": […]}` with plain values.
enum SubscriptionJSON {
  private static let typePrefix = "SUBSCRIPTION_TYPE_"

  /// Returns the JSON of a subscription, with its health.
  static func json(
    _ subscription: TidingsV1.Subscription,
    health: TidingsV1.SubscriptionHealth? = nil
  ) throws -> JSONValue {
    var rest = subscription
    (rest.subscriptionID, rest.type, rest.recordType) = ("", .unspecified, "")
    rest.predicate = nil
    rest.zoneID = nil
    var object: JSONObject = [
      "subscriptionId": .string(subscription.subscriptionID), "type": .string(type(subscription)),
    ]
    if !subscription.recordType.isEmpty {
      object.append("recordType", .string(subscription.recordType))
    }
    if let predicate = subscription.predicate { object.append("predicate", try json(predicate)) }
    if let zone = subscription.zoneID { object.append("zoneName", .string(zone.name)) }
    for member in try Contract.json(rest).object?.members ?? [] {
      object.append(member.name, member.value)
    }
    if let health { object.append("health", json(health)) }
    return .object(object)
  }

  /// The short name of the kind: `RECORD_ZONE`.
  static func type(_ subscription: TidingsV1.Subscription) -> String {
    Contract.shortName(subscription.type, typePrefix)
  }

  private static func json(_ health: TidingsV1.SubscriptionHealth) -> JSONValue {
    .omittingNil([
      "saved": health.saved.map { .timestamp($0) },
      "lastFired": health.lastFired.map { .timestamp($0) },
      "firedCount": .integer(health.firedCount),
      "lastEvaluated": health.lastEvaluated.map { .timestamp($0) },
      "evaluatedCount": .integer(health.evaluatedCount),
      "unreadCount": .integer(health.unreadCount),
      "subscriberCount": .integer(health.subscriberCount),
      "lacksPermission": health.lacksPermission ? .bool(true) : nil,
    ])
  }

  private static func json(_ predicate: TidingsV1.Predicate) throws -> JSONValue {
    if !predicate.nodes.isEmpty { return try Contract.json(predicate) }
    if predicate.arguments.isEmpty { return .string(predicate.text) }
    return .object([
      "text": .string(predicate.text),
      "arguments": .array(predicate.arguments.map(FieldValueJSON().json)),
    ])
  }

  /// Parses a subscription.
  static func subscription(_ json: JSONValue, _ path: String) throws -> TidingsV1.Subscription {
    guard var object = json.object else {
      throw ValueError(path, "expected an object, not \(json.kindDescription)")
    }
    let predicate = object["predicate"]
    let zoneName = object["zoneName"]
    for name in ["predicate", "zoneName", "effective", "health"] { object[name] = nil }
    if let type = object["type"]?.string, !type.hasPrefix(typePrefix) {
      object["type"] = .string(typePrefix + type.uppercased())
    }
    var subscription: TidingsV1.Subscription
    do {
      subscription = try Contract.message(.object(object))
    } catch let error as TranscodingError {
      throw ValueError(path, "\(error)")
    }
    if subscription.type == .unspecified { subscription.type = .query }
    if let zoneName, zoneName != .null {
      let name = try FieldValueJSON().string(zoneName, "\(path).zoneName")
      subscription.zoneID = .init(zoneName: name)
    }
    if let predicate, predicate != .null {
      subscription.predicate = try self.predicate(predicate, "\(path).predicate")
    }
    return subscription
  }

  private static func predicate(_ json: JSONValue, _ path: String) throws -> TidingsV1.Predicate {
    if let text = json.string { return .init(text: text) }
    if json.object?["nodes"] != nil { return try Contract.message(json) }
    let reader = FieldValueJSON()
    let object = try reader.members(json, path, allowing: ["text", "arguments", "nodes"])
    guard let text = object["text"] else { throw ValueError(path, "text is required") }
    let arguments = object["arguments"]?.array ?? []
    return .init(
      text: try reader.string(text, "\(path).text"),
      arguments: try arguments.enumerated().map { index, argument in
        try reader.value(argument, "\(path).arguments[\(index)]")
      }
    )
  }
}
