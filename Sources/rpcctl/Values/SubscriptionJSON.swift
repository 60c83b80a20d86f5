internal import TidingsJSON
internal import TidingsProto

/// Converts subscriptions between the wire and the JSON that is printed and that `--save` takes.
///
/// Like proto3's JSON mapping, but `type` is `QUERY` for short, `zoneName` stands for the zone,
/// and `predicate` is its text, or `{"text": …, "arguments": […]}` with plain values.
enum SubscriptionJSON {
  private static let typePrefix = "SUBSCRIPTION_TYPE_"

  /// The JSON of a subscription.
  static func json(_ subscription: TidingsV1.Subscription) throws -> JSONValue {
    var bare = subscription
    bare.predicate = nil
    bare.zoneID = nil
    let mapped = try Contract.json(bare).object ?? [:]
    var object = JSONObject()
    for member in mapped.members {
      switch member.name {
      case "type":
        object.append("type", .string(Contract.shortName(subscription.type, typePrefix)))
      case "recordType":
        object.append("recordType", member.value)
        if let predicate = subscription.predicate {
          object.append("predicate", try json(predicate))
        }
        if let zone = subscription.zoneID { object.append("zoneName", .string(zone.name)) }
      default: object.append(member.name, member.value)
      }
    }
    return .object(object)
  }

  private static func json(_ predicate: TidingsV1.Predicate) throws -> JSONValue {
    if !predicate.nodes.isEmpty { return try Contract.json(predicate) }
    if predicate.arguments.isEmpty { return .string(predicate.text) }
    return .object([
      "text": .string(predicate.text),
      "arguments": .array(predicate.arguments.map(FieldValueJSON().json)),
    ])
  }

  /// The subscription that JSON describes.
  static func subscription(_ json: JSONValue, _ path: String) throws -> TidingsV1.Subscription {
    guard var object = json.object else {
      throw ValueError(path, "an object must stand here, not \(json.kindDescription)")
    }
    let predicate = object["predicate"]
    let zoneName = object["zoneName"]
    for name in ["predicate", "zoneName", "effective"] { object[name] = nil }
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
    guard let text = object["text"] else { throw ValueError(path, "text is needed") }
    let arguments = object["arguments"]?.array ?? []
    return .init(
      text: try reader.string(text, "\(path).text"),
      arguments: try arguments.enumerated().map { index, argument in
        try reader.value(argument, "\(path).arguments[\(index)]")
      })
  }
}
