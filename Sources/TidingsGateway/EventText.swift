internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsUserInfo
internal import TidingsWeb

/// What happened, as server-sent events.
struct EventText {
  /// Whose notifications they are.
  let user: String

  /// What there is to say of a notification.
  struct Event {
    fileprivate let name: String
    fileprivate let json: [UInt8]

    /// About how long it is.
    var byteCount: Int { json.count }
  }

  func event(_ notification: TidingsV1.Notification) -> Event {
    guard notification.type != .readNotification else {
      let json = JSONValue.object(["nid": .string(notification.notificationID)])
      return Event(name: "read", json: json.text())
    }
    // The log's has the badge of its time, too.
    let json =
      notification.userInfoJson.isEmpty
      ? UserInfo(notification, for: user).json.text() : Array(notification.userInfoJson.utf8)
    return Event(name: "notification", json: json)
  }

  /// Notifications, and the badge behind them.
  ///
  /// - Parameters:
  ///   - notifications: What there is to say of each, the oldest first.
  ///   - badge: The badge; `nil`: it is the same as before.
  ///   - position: Where a client stands that has read all of them; `nil`: where it stood before.
  /// - Returns: The events; none if there is nothing to say.
  func events(
    _ notifications: [Event],
    badge: UInt32?,
    behind position: InboxProgress?
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    for event in notifications.dropLast() { bytes += Self.text(event.name, event.json, id: nil) }
    let id = position.map { Base64.encode($0.bytes) }
    if let last = notifications.last {
      // Only behind the last one nothing of them is missing.
      bytes += Self.text(last.name, last.json, id: id)
    } else if let id {
      bytes += "id: \(id)\n\n".utf8
    }
    if let badge { bytes += Self.event("badge", ["badge": .integer(badge)]) }
    return bytes
  }

  static func event(_ name: String, _ data: JSONObject) -> [UInt8] {
    text(name, JSONValue.object(data).text(), id: nil)
  }

  private static func text(_ name: String, _ json: [UInt8], id: String?) -> [UInt8] {
    var bytes = Array("event: \(name)\n".utf8)
    if let id { bytes += "id: \(id)\n".utf8 }
    bytes += "data: ".utf8
    bytes += json
    bytes += "\n\n".utf8
    return bytes
  }
}
