internal import TidingsJSON
internal import TidingsProto

/// The `aps` dictionary: what a device shows, as Apple's push service has it.
struct AlertDictionary {
  private let notification: TidingsV1.Notification
  private let info: TidingsV1.NotificationInfo
  private let badge: UInt32?

  init(_ notification: TidingsV1.Notification, badge: UInt32?) {
    self.notification = notification
    info = notification.notificationInfo ?? .init()
    self.badge = badge
  }

  var json: JSONObject {
    var object = JSONObject()
    if let alert { object.append("alert", alert) }
    if info.shouldBadge, let badge { object.append("badge", .integer(badge)) }
    object.append("sound", text: info.soundName)
    object.append("category", text: info.category)
    if info.shouldSendContentAvailable { object.append("content-available", .integer(1)) }
    if info.shouldSendMutableContent { object.append("mutable-content", .integer(1)) }
    return object
  }

  /// A string when there is nothing but a text, otherwise a dictionary; a key wins over its text.
  private var alert: JSONValue? {
    var object = JSONObject()
    object.append(
      info.title,
      "title",
      info.titleLocalizationKey,
      notification.titleLocalizationValues
    )
    object.append(
      info.subtitle,
      "subtitle",
      info.subtitleLocalizationKey,
      notification.subtitleLocalizationValues
    )
    if info.alertLocalizationKey.isEmpty {
      object.append("body", text: info.alertBody)
    } else {
      object.append("loc-key", text: info.alertLocalizationKey)
      object.append("loc-args", texts: notification.alertLocalizationValues)
    }
    object.append("action-loc-key", text: info.alertActionLocalizationKey)
    object.append("launch-image", text: info.alertLaunchImage)
    if object.members.isEmpty { return nil }
    if object.members.count == 1, let body = object["body"] { return body }
    return .object(object)
  }
}

extension JSONObject {
  fileprivate mutating func append(_ name: String, text: String) {
    if !text.isEmpty { append(name, .string(text)) }
  }

  fileprivate mutating func append(_ name: String, texts: [String]) {
    if !texts.isEmpty { append(name, .array(texts.map { .string($0) })) }
  }

  /// Appends a text, or the key and the arguments that win over it.
  fileprivate mutating func append(
    _ text: String,
    _ name: String,
    _ key: String,
    _ values: [String]
  ) {
    guard !key.isEmpty else { return append(name, text: text) }
    append("\(name)-loc-key", text: key)
    append("\(name)-loc-args", texts: values)
  }
}
