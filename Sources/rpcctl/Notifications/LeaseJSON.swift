internal import TidingsJSON
internal import TidingsProto

/// Leased notifications as printed, and as read by a worker's command.
enum LeaseJSON {
  /// The names of the columns of a row.
  static let columns = ["LEASE", "EXPIRES", "DELIVERY", "SUBSCRIPTION", "REASON", "RECORD", "ID"]

  /// Returns the notification with the members of the lease first.
  static func json(_ leased: TidingsV1.LeasedNotification) throws -> JSONValue {
    var object: JSONObject = ["leaseId": .string(leased.leaseID)]
    if let expires = leased.expires { object.append("expires", .timestamp(expires)) }
    object.append("deliveryCount", .integer(leased.deliveryCount))
    if leased.isOwnChange { object.append("isOwnChange", .bool(true)) }
    let notification = try NotificationJSON.json(leased.notification ?? .init())
    for member in notification.object?.members ?? [] { object.append(member.name, member.value) }
    return .object(object)
  }

  /// The cells of a row.
  static func row(_ leased: TidingsV1.LeasedNotification) -> [String] {
    let notification = leased.notification ?? .init()
    return [
      leased.leaseID, leased.expires?.text ?? "", "\(leased.deliveryCount)",
      notification.subscriptionID,
      NotificationJSON.reason(notification) ?? NotificationJSON.type(notification),
      NotificationJSON.subject(notification), notification.notificationID,
    ]
  }
}
