internal import TidingsJSON
internal import TidingsProto

/// `notificationInfo`: what to show.
enum NotificationInfoDictionary {
  private typealias Text = WritableKeyPath<TidingsV1.NotificationInfo, String>
  private typealias Texts = WritableKeyPath<TidingsV1.NotificationInfo, [String]>
  private typealias Flag = WritableKeyPath<TidingsV1.NotificationInfo, Bool>

  private static var texts: [(String, Text)] {
    [
      ("alertBody", \.alertBody), ("alertLocalizationKey", \.alertLocalizationKey),
      ("alertActionLocalizationKey", \.alertActionLocalizationKey),
      ("alertLaunchImage", \.alertLaunchImage), ("soundName", \.soundName), ("title", \.title),
      ("titleLocalizationKey", \.titleLocalizationKey), ("subtitle", \.subtitle),
      ("subtitleLocalizationKey", \.subtitleLocalizationKey), ("category", \.category),
      ("collapseIDKey", \.collapseIDKey),
    ]
  }
  private static var lists: [(String, Texts)] {
    [
      ("alertLocalizationArgs", \.alertLocalizationArgs),
      ("titleLocalizationArgs", \.titleLocalizationArgs),
      ("subtitleLocalizationArgs", \.subtitleLocalizationArgs), ("desiredKeys", \.desiredKeys),
    ]
  }
  private static var flags: [(String, Flag)] {
    [
      ("shouldBadge", \.shouldBadge),
      ("shouldSendContentAvailable", \.shouldSendContentAvailable),
      ("shouldSendMutableContent", \.shouldSendMutableContent),
    ]
  }

  static func read(_ input: WebInput) throws(WebFailure) -> TidingsV1.NotificationInfo {
    try input.check(.notificationInfo)
    var info = TidingsV1.NotificationInfo()
    for (name, path) in texts { info[keyPath: path] = try input.string(name) ?? "" }
    for (name, path) in lists { info[keyPath: path] = try input.strings(name) ?? [] }
    for (name, path) in flags { info[keyPath: path] = try input.bool(name) ?? false }
    // CloudKit JS has another name for the fields that notifications carry.
    if let names = try input.strings("additionalFields") { info.desiredKeys = names }
    return info
  }

  static func json(_ info: TidingsV1.NotificationInfo) -> JSONObject {
    var object = JSONObject()
    for (name, path) in texts where !info[keyPath: path].isEmpty {
      object.append(name, .string(info[keyPath: path]))
    }
    for (name, path) in lists where !info[keyPath: path].isEmpty {
      object.append(name, .array(info[keyPath: path].map { .string($0) }))
    }
    for (name, path) in flags where info[keyPath: path] { object.append(name, .bool(true)) }
    return object
  }
}
