internal import TidingsJSON
internal import TidingsProto

/// Notifications as printed.
enum NotificationJSON {
  /// The names of the columns of a row.
  static let columns = ["COMMITTED", "SUBSCRIPTION", "REASON", "RECORD", "ALERT", "ID"]

  /// Enums by short name, plain field values, and names of record and zone instead of their ids.
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
      "zoneName": zoneName(notification).map { .string($0) },
      "ownerName": record.flatMap(\.ownerNameJSON),
      "recordFields": notification.recordFields.isEmpty
        ? nil : fields.json(notification.recordFields, of: record),
      "omittedKeys": texts(notification.omittedKeys),
      "notificationInfo": try notification.notificationInfo.map { try Contract.json($0) },
      "alertLocalizationValues": texts(notification.alertLocalizationValues),
      "titleLocalizationValues": texts(notification.titleLocalizationValues),
      "subtitleLocalizationValues": texts(notification.subtitleLocalizationValues),
      "collapseId": text(notification.collapseID),
      "committed": notification.committed.map { .timestamp($0) },
      "isPruned": notification.isPruned ? .bool(true) : nil,
      "position": try notification.position.map { try Contract.json($0) },
      "userInfo": notification.userInfoJson.isEmpty
        ? nil : try JSONValue(parsing: notification.userInfoJson),
    ])
  }

  /// The cells of a row.
  static func row(_ notification: TidingsV1.Notification) -> [String] {
    [
      notification.committed.map(shownTime) ?? "",
      notification.subscriptionID, reason(notification) ?? type(notification),
      subject(notification), alert(notification), notification.notificationID,
    ]
  }

  /// A time as text, in milliseconds.
  private static func shownTime(_ time: GoogleProtobuf.Timestamp) -> String {
    var time = time
    time.nanos -= time.nanos % 1_000_000
    return JSONValue.timestamp(time).string ?? ""
  }

  /// What changed: the record or, for a zone or database subscription, the zone.
  static func subject(_ notification: TidingsV1.Notification) -> String {
    let name = notification.recordID?.recordName ?? ""
    let shown = notification.recordID?.zoneID?.shownName ?? zoneName(notification)
    let zone = name.isEmpty ? shown.map { "zone \($0)" } ?? "" : ""
    return [zone, notification.recordType, name].filter { !$0.isEmpty }.joined(separator: "/")
  }

  /// The alert: the text, or the key of a localized one with its arguments.
  private static func alert(_ notification: TidingsV1.Notification) -> String {
    let info = notification.notificationInfo ?? .init()
    guard !info.alertLocalizationKey.isEmpty else { return info.alertBody }
    let values = notification.alertLocalizationValues
    return info.alertLocalizationKey
      + (values.isEmpty ? "" : "(\(values.joined(separator: ", ")))")
  }

  /// The zone if it is not the default; for a zone or database subscription always.
  private static func zoneName(_ notification: TidingsV1.Notification) -> String? {
    if let zone = notification.recordID?.zoneID { return zone.name }
    return [.recordZone, .database].contains(notification.type) ? ZoneName.defaultZone : nil
  }

  private static func texts(_ texts: [String]) -> JSONValue? {
    texts.isEmpty ? nil : .array(texts.map { .string($0) })
  }

  private static func text(_ text: String) -> JSONValue? { text.isEmpty ? nil : .string(text) }

  static func type(_ notification: TidingsV1.Notification) -> String {
    Contract.shortName(notification.type, "NOTIFICATION_TYPE_")
  }

  static func reason(_ notification: TidingsV1.Notification) -> String? {
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
