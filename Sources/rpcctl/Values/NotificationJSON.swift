internal import TidingsJSON
internal import TidingsProto

/// Notifications as they are printed.
enum NotificationJSON {
  /// The names of the columns of a row.
  static let columns = ["COMMITTED", "SUBSCRIPTION", "REASON", "RECORD", "ALERT", "ID"]

  /// Short names of enums, plain field values, and the record's and the zone's name for their ids.
  static func json(_ notification: TidingsV1.Notification) throws -> JSONValue {
    let record = notification.recordID
    let fields = FieldValueJSON(zoneName: record?.zoneID?.zoneName ?? "")
    return .omittingNil([
      "notificationId": .string(notification.notificationID),
      "type": .string(type(notification)),
      "subscriptionId": text(notification.subscriptionID),
      "databaseId": notification.databaseID.map(json),
      "reason": reason(notification).map { .string($0) },
      "recordType": text(notification.recordType),
      "recordName": record.flatMap { text($0.recordName) },
      "zoneName": record?.zoneID.map { .string($0.name) },
      "recordFields": notification.recordFields.isEmpty
        ? nil : fields.json(notification.recordFields),
      "notificationInfo": try notification.notificationInfo.map { try Contract.json($0) },
      "committed": notification.committed.map { .timestamp($0) },
      "isPruned": notification.isPruned ? .bool(true) : nil,
      "position": try notification.position.map { try Contract.json($0) },
    ])
  }

  /// The cells of a row.
  static func row(_ notification: TidingsV1.Notification) -> [String] {
    [
      notification.committed.map { JSONValue.timestamp($0).string ?? "" } ?? "",
      notification.subscriptionID, reason(notification) ?? type(notification),
      [notification.recordType, notification.recordID?.recordName ?? ""]
        .filter { !$0.isEmpty }.joined(separator: "/"),
      notification.notificationInfo?.alertBody ?? "", notification.notificationID,
    ]
  }

  private static func text(_ text: String) -> JSONValue? { text.isEmpty ? nil : .string(text) }

  private static func type(_ notification: TidingsV1.Notification) -> String {
    Contract.shortName(notification.type, "NOTIFICATION_TYPE_")
  }

  private static func reason(_ notification: TidingsV1.Notification) -> String? {
    notification.reason == .unspecified
      ? nil : Contract.shortName(notification.reason, "QUERY_NOTIFICATION_REASON_")
  }

  private static func json(_ database: TidingsV1.DatabaseID) -> JSONValue {
    .object([
      "container": .string(database.container),
      "environment": .string(Contract.shortName(database.environment, "ENVIRONMENT_")),
      "scope": .string(Contract.shortName(database.scope, "DATABASE_SCOPE_")),
    ])
  }
}
