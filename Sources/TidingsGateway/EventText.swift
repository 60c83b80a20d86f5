internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsUserInfo
internal import TidingsWeb

/// What happened, as server-sent events.
struct EventText {
  /// Whose notifications they are.
  let user: String

  /// Notifications, and the badge behind them.
  ///
  /// - Parameters:
  ///   - notifications: The notifications, the oldest first.
  ///   - badge: The badge; `nil`: it is the same as before.
  ///   - position: Where a client stands that has read all of them; `nil`: where it stood before.
  /// - Returns: The events; none if there is nothing to say.
  func events(
    _ notifications: [TidingsV1.Notification],
    badge: UInt32?,
    behind position: InboxProgress?
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    for notification in notifications.dropLast() { bytes += event(notification, id: nil) }
    let id = position.map { Base64.encode($0.bytes) }
    if let last = notifications.last {
      // Only behind the last one nothing of them is missing.
      bytes += event(last, id: id)
    } else if let id {
      bytes += "id: \(id)\n\n".utf8
    }
    if let badge { bytes += event("badge", ["badge": .integer(badge)]) }
    return bytes
  }

  private func event(_ notification: TidingsV1.Notification, id: String?) -> [UInt8] {
    guard notification.type != .readNotification else {
      return event("read", ["nid": .string(notification.notificationID)], id: id)
    }
    // The log's has the badge of its time, too.
    let json =
      notification.userInfoJson.isEmpty
      ? UserInfo(notification, for: user).json.text() : Array(notification.userInfoJson.utf8)
    return event("notification", json, id: id)
  }

  func event(_ name: String, _ data: JSONObject, id: String? = nil) -> [UInt8] {
    event(name, JSONValue.object(data).text(), id: id)
  }

  private func event(_ name: String, _ json: [UInt8], id: String?) -> [UInt8] {
    var bytes = Array("event: \(name)\n".utf8)
    if let id { bytes += "id: \(id)\n".utf8 }
    bytes += "data: ".utf8
    bytes += json
    bytes += "\n\n".utf8
    return bytes
  }
}
