internal import EngineTestSupport
internal import TestSupport
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsSQL

@testable internal import TidingsEngine

/// A look at the events that calls store.
final class EventStore: EngineHarness {
  /// A row of an event.
  struct Row {
    var id: Int64
    var batch: Int64
    var channel: Int64
    var committed: Int64 = 0
    var caller: Caller
    var notification: TidingsV1.Notification

    /// The reason, or the kind, and what changed.
    var story: String {
      let id = notification.recordID
      switch notification.type {
      case .query:
        let reasons = [1: "created", 2: "updated", 3: "deleted", 4: "entered", 5: "left"]
        let reason = reasons[Int(notification.reason.rawValue)] ?? "?"
        return "\(reason) \(id?.recordName ?? "")"
      case .recordZone: return "zone \(id?.zoneID?.zoneName ?? "")"
      case .database: return "database \(id?.zoneID?.zoneName ?? "")"
      default: return "?"
      }
    }
  }

  static let laptop = Caller(user: "ada", device: "laptop")
  static let database = DatabaseID(
    container: "default",
    environment: .development,
    scope: .private,
    owner: "ada"
  )

  private var lastID: Int64 = 0

  init(limits: Limits = Limits()) throws { try super.init(limits: limits, time: nil) }

  /// Another user's records of these types teach the schema, which all users of the container share.
  func teach(_ types: String..., fields: RecordFields = [:]) throws {
    var other = Self.database
    other.owner = "teacher"
    try modify(types.map { Record("of \($0)", type: $0, fields) }, in: other)
  }

  @discardableResult
  func subscribe(
    _ id: String,
    _ kind: Subscription.Kind = .query,
    type: String = "T",
    where predicate: String = "TRUEPREDICATE",
    zone: String? = nil,
    on options: Subscription.FiringOptions = [],
    of user: String = "ada",
    in database: DatabaseID = EventStore.database,
    _ change: ((inout NotificationInfo) -> Void)? = nil
  ) throws -> SavedSubscription {
    var subscription = Subscription(
      subscriptionID: id,
      recordType: type,
      predicate: try Predicate(text: predicate),
      zoneID: zone.map { ZoneID(zoneName: $0) },
      options: options
    )
    subscription.kind = kind
    if let change {
      var info = NotificationInfo()
      change(&info)
      subscription.notificationInfo = info
    }
    return try commit { try $0.saveSubscription(subscription, of: user, in: database) }
  }

  /// Saves and deletes records in one call; none may fail.
  @discardableResult
  func modify(
    _ saves: [Record] = [],
    delete: [RecordID] = [],
    isDryRun: Bool = false,
    in database: DatabaseID = EventStore.database
  ) throws -> ModifiedRecords {
    var changes = RecordChanges(
      database: database,
      saves: saves,
      deletions: delete,
      policy: .allKeys
    )
    changes.isDryRun = isDryRun
    let modified = try commit { try $0.modifyRecords(changes, caller: Self.laptop) }
    for case .failed(let id, let error, _) in modified.outcomes {
      throw WaitingFailure(description: "\(id.recordName): \(error)")
    }
    return modified
  }

  func saveZones(_ names: String...) throws {
    try commit { engine in
      try engine.asOneCall(by: Self.laptop) { call in
        for name in names {
          _ = try engine.saveZone(ZoneID(zoneName: name), in: Self.database, by: call)
        }
      }
    }
  }

  func deleteZone(_ name: String) throws {
    try commit { engine in
      try engine.deleteZone(
        ZoneID(zoneName: name),
        in: Self.database,
        because: .deleted,
        caller: Self.laptop
      )
    }
  }

  /// The events since the last look, in the order in which they were stored.
  func newEvents() throws -> [Row] {
    let select = try connection.prepare(
      """
      SELECT id, batch, channel_id, origin_user, origin_device, body, committed, content
      FROM events WHERE id > ?1 ORDER BY id
      """
    )
    select.bind(lastID, at: 1)
    let bodies = try EventBodies(connection, codec: codec)
    var rows: [Row] = []
    try select.forEachRow {
      let body = try bodies.body(
        select.bytes(5),
        of: select.int64(2),
        content: select.int64(7)
      )
      rows.append(
        Row(
          id: select.int64(0),
          batch: select.int64(1),
          channel: select.int64(2),
          committed: select.int64(6),
          caller: Caller(user: select.string(3), device: select.string(4)),
          notification: try TidingsV1.Notification(decoding: body)
        )
      )
    }
    lastID = rows.last?.id ?? lastID
    return rows
  }

  /// The stories of the events since the last look.
  func newStories() throws -> [String] { try newEvents().map(\.story) }

  /// A user's notifications, as a device that made no change sees them.
  func feed(of user: String = "ada") throws -> [String] {
    try page(of: user).items.map { "\($0.subscriptionID) \($0.id)" }
  }

  /// What each of a user's subscriptions reports each record, in that order; of zones how often.
  func stories(of user: String = "ada") throws -> [String: [String]] {
    var stories: [String: [String]] = [:]
    for item in try page(of: user, limit: 10_000).items {
      let notification = try TidingsV1.Notification(decoding: item.body)
      let row = Row(id: 0, batch: 0, channel: 0, caller: Self.laptop, notification: notification)
      let record = notification.recordID?.recordName ?? ""
      let zone = notification.recordID?.zoneID?.zoneName ?? ""
      stories["\(item.subscriptionID) in \(zone) of \(record)", default: []].append(row.story)
    }
    // Those of zones name no record, and have no order that matters.
    return stories.reduce(into: [:]) { all, story in
      all[story.key] = story.key.hasSuffix("of ") ? story.value.sorted() : story.value
    }
  }

  /// The first page of a user's notifications.
  func page(of user: String = "ada", limit: Int = 0) throws -> NotificationPage {
    var limits = limits
    limits.pageItemsMax = max(limit, limits.pageItemsMax)
    limits.rowsPerPageMax = 100_000
    let reader = try EngineReader(
      testDatabase.connect(readsOnly: true),
      limits: limits
    )
    let request = NotificationRequest(
      caller: Caller(user: user, device: ""),
      container: "default",
      environment: .development,
      limit: limit
    )
    return try reader.withSnapshot { try reader.notifications(request) }
  }
}

extension Record {
  init(_ name: String, zone: String = "_defaultZone", type: String = "T", _ fields: RecordFields) {
    self.init(
      recordID: RecordID(recordName: name, zoneID: ZoneID(zoneName: zone)),
      recordType: type,
      fields: fields
    )
  }
}
