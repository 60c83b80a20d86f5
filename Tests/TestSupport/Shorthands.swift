public import TidingsClient
public import TidingsProto
public import TidingsRPC

extension TidingsV1.FieldValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral
{
  public init(stringLiteral value: String) { self.init(value: .stringValue(value)) }
  public init(integerLiteral value: Int64) { self.init(value: .int64Value(value)) }
  public init(floatLiteral value: Double) { self.init(value: .doubleValue(value)) }
  public init(_ value: Value) { self.init(value: value) }

  /// A field to be removed.
  public static let null = Self()
}

extension TidingsV1.RecordID {
  public init(_ name: String, zone: String = "") {
    self.init(recordName: name, zoneID: zone.isEmpty ? nil : .init(zoneName: zone))
  }
}

extension TidingsV1.Record {
  public init(
    _ type: String,
    _ name: String,
    zone: String = "",
    tag: String = "",
    _ fields: [String: TidingsV1.FieldValue] = [:]
  ) {
    self.init(
      recordID: .init(name, zone: zone),
      recordType: type,
      fields: fields,
      changeTag: tag
    )
  }
}

extension TidingsV1.RecordResult {
  public var record: TidingsV1.Record? {
    if case .record(let record)? = outcome { record } else { nil }
  }
  public var error: TidingsV1.ItemError? {
    if case .error(let error)? = outcome { error } else { nil }
  }
}

extension TidingsV1.SubscriptionResult {
  public var subscription: TidingsV1.Subscription? {
    if case .subscription(let subscription)? = outcome { subscription } else { nil }
  }
  public var error: TidingsV1.ItemError? {
    if case .error(let error)? = outcome { error } else { nil }
  }
}

extension TidingsV1.Subscription {
  /// The changes that fire a subscription.
  public struct Changes: OptionSet, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let create = Self(rawValue: 1)
    public static let update = Self(rawValue: 2)
    public static let delete = Self(rawValue: 4)
    public static let enter = Self(rawValue: 8)
    public static let leave = Self(rawValue: 16)
  }

  public init(
    _ id: String,
    _ type: String,
    where predicate: String = "TRUEPREDICATE",
    arguments: [TidingsV1.FieldValue] = [],
    on changes: Changes = [.create, .update],
    once: Bool = false,
    zone: String = "",
    keys: [String] = []
  ) {
    self.init(
      subscriptionID: id,
      type: .query,
      recordType: type,
      predicate: .init(text: predicate, arguments: arguments),
      zoneID: zone.isEmpty ? nil : .init(zoneName: zone),
      firesOnRecordCreation: changes.contains(.create),
      firesOnRecordUpdate: changes.contains(.update),
      firesOnRecordDeletion: changes.contains(.delete),
      firesOnce: once,
      notificationInfo: keys.isEmpty ? nil : .init(desiredKeys: keys),
      firesOnRecordEnter: changes.contains(.enter),
      firesOnRecordLeave: changes.contains(.leave)
    )
  }

  /// A subscription to all changes in a zone.
  public static func zone(_ id: String, _ zone: String, type: String = "") -> Self {
    .init(
      subscriptionID: id,
      type: .recordZone,
      recordType: type,
      zoneID: .init(zoneName: zone)
    )
  }

  /// A subscription to all changes in a database.
  public static func database(_ id: String, type: String = "") -> Self {
    .init(subscriptionID: id, type: .database, recordType: type)
  }
}

extension Client {
  /// Saves and deletes records.
  public func modify(
    _ saves: [TidingsV1.Record] = [],
    delete: [TidingsV1.RecordID] = [],
    policy: TidingsV1.SavePolicy = .allKeys,
    atomic: Bool? = nil,
    key: String? = nil,
    in database: TidingsV1.DatabaseID? = nil
  ) async throws -> [TidingsV1.RecordResult] {
    try await records.modifyRecords(
      .init(
        databaseID: database,
        recordsToSave: saves,
        recordIDsToDelete: delete,
        savePolicy: policy,
        atomic: atomic
      ),
      options: CallOptions(idempotencyKey: key)
    ).results
  }

  /// Saves a record that must not be refused.
  @discardableResult
  public func save(_ record: TidingsV1.Record) async throws -> TidingsV1.Record {
    let result = try await modify([record]).first
    guard let saved = result?.record else {
      throw WaitingFailure(description: "not saved: \(String(describing: result))")
    }
    return saved
  }

  public func fetch(_ ids: [TidingsV1.RecordID]) async throws -> [TidingsV1.RecordResult] {
    try await records.fetchRecords(.init(recordIDs: ids)).results
  }

  /// Adds a record type to the schema of development, with fields such as `price INT64`, and the grants of one
  /// that is learned.
  public func declare(_ type: String, _ fields: String...) async throws {
    let text = try await schemas.fetchSchema(.init()).text
    let grants = ["READ TO \"_world\"", "CREATE TO \"_icloud\"", "WRITE TO \"_creator\""]
    let lines = fields + grants.map { "GRANT \($0)" }
    let declared = "RECORD TYPE \(type) (\(lines.joined(separator: ", ")));"
    let begin = text.isEmpty ? "DEFINE SCHEMA" : text
    _ = try await schemas.applySchema(.init(text: begin + "\n" + declared))
  }

  /// Saves a subscription that must not be refused.
  @discardableResult
  public func subscribe(
    _ subscription: TidingsV1.Subscription
  ) async throws
    -> TidingsV1.Subscription
  {
    let result = try await subscriptions.modifySubscriptions(
      .init(subscriptionsToSave: [subscription])
    ).results.first
    guard let saved = result?.subscription else {
      throw WaitingFailure(description: "not subscribed: \(String(describing: result))")
    }
    return saved
  }

  /// All pages of the feed after a token, and the last token.
  public func feed(
    after token: [UInt8] = [],
    pageLimit: UInt32 = 0
  ) async throws
    -> (notifications: [TidingsV1.Notification], token: [UInt8])
  {
    var (notifications, token) = ([] as [TidingsV1.Notification], token)
    while true {
      let page = try await self.notifications.fetchNotificationChanges(
        .init(changeToken: token, limit: pageLimit)
      )
      notifications += page.notifications
      token = page.changeToken
      if !page.moreComing { return (notifications, token) }
    }
  }
}

/// The error that a closure throws; `nil` when it does not fail.
public func failure(_ body: () async throws -> Void) async -> RPCError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? RPCError ?? RPCError(.unknown, "not an RPCError: \(error)")
  }
}
