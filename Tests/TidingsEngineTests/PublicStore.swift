internal import EngineTestSupport
internal import TestSupport
internal import TidingsCodec
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsSQL

@testable internal import TidingsEngine

/// The public database of a store.
final class PublicStore: EngineHarness {
  static let database = DatabaseID(
    container: "c",
    environment: .development,
    scope: .public,
    owner: ""
  )

  /// The topics that each user was ever given.
  private(set) var topics: [String: Set<[UInt8]>] = [:]

  init() throws { try super.init(time: nil) }

  /// What is published, each with its topic.
  typealias Published = (topic: [UInt8], notification: TidingsV1.Notification)

  /// Runs a call in a transaction of its own; one that is refused does not roll back what others did.
  func publish<R>(_ body: (Engine) throws -> R) throws -> (R, [Published]) {
    try engine.begin()
    let result = Result { try body(engine) }
    let events = try engine.commit().events
    return (
      try result.get(), try events.map { ($0.topic, try TidingsV1.Notification(decoding: $0.body)) }
    )
  }

  /// Registers a user for pushes.
  func register(_ user: String) throws {
    let channels = try engine.pushChannels(
      for: Caller(user: user, device: "d"),
      container: Self.database.container,
      environment: Self.database.environment
    )
    topics[user, default: []].formUnion(channels.map(\.topic))
  }

  /// - Returns: Why it failed, and what was published.
  func modify(
    _ saves: [Record] = [],
    delete: [RecordID] = [],
    by user: String
  ) throws -> (outcome: RecordOutcome, published: [Published]) {
    let (modified, published) = try publish {
      try $0.modifyRecords(
        RecordChanges(
          database: Self.database,
          saves: saves,
          deletions: delete,
          policy: .allKeys
        ),
        caller: Caller(user: user, device: "w")
      )
    }
    guard let outcome = modified.outcomes.first else {
      throw WaitingFailure(description: "no outcome")
    }
    return (outcome, published)
  }

  func setRoles(_ roles: Set<String>, of user: String) throws {
    _ = try publish { engine in
      if try engine.displayName(of: user) == nil { _ = try engine.createUser(.init(user)) }
      _ = try engine.assignRoles(Array(roles), to: user)
    }
  }

  func apply(_ schema: Schema) throws {
    _ = try publish {
      try $0.applySchema(schema.text, to: Self.database.container, isDryRun: false)
    }
  }

  // MARK: Reading

  func fetch(_ name: String, by user: String) throws -> Record? {
    do {
      var record: Record?
      try engine.withRecord(
        RecordID(recordName: name, zoneID: .default),
        in: Self.database,
        caller: Caller(user: user, device: "")
      ) { record = try codec.decodeRecord($0) }
      return record
    } catch let error as ItemError where error.code == .unknownItem {
      return nil
    }
  }

  /// The names that a query finds, over pages of a size, and whether its reports mention others.
  func query(
    _ type: String,
    sorted: Bool,
    limit: Int,
    by user: String
  ) throws -> (names: [String], visited: Int) {
    let query = RecordQuery(
      database: Self.database,
      recordType: type,
      predicate: try Predicate(text: "n >= 0"),
      sortKeys: sorted ? [.init(field: "n")] : [],
      zoneID: nil
    )
    var (names, visited, cursor) = ([] as [String], 0, [] as [UInt8])
    repeat {
      let answer = try reader.withSnapshot {
        let deliver: (UnsafeRawBufferPointer) throws -> Void = { [codec] in
          names.append(try codec.decodeRecord($0).recordID.recordName)
        }
        return cursor.isEmpty
          ? try reader.records(
            matching: query,
            for: user,
            limit: limit,
            at: SteadyClock().now,
            deliver
          )
          : try reader.records(
            after: cursor,
            for: user,
            limit: limit,
            at: SteadyClock().now,
            deliver
          )
      }
      visited += answer.report.recordsVisited
      cursor = answer.cursor
    } while !cursor.isEmpty
    return (names, visited)
  }

  func feed(
    after token: [UInt8],
    by user: String,
    limit: Int
  ) throws -> (saved: [String], deleted: [String], token: [UInt8]) {
    var (saved, deleted, token) = ([] as [String], [] as [String], token)
    while true {
      var budget = FeedBudget(limit: limit, Limits())
      let page = try reader.withSnapshot {
        try reader.zoneChanges(
          ZoneFeedRequest(zone: .default, changeToken: token),
          in: Self.database,
          caller: Caller(user: user, device: ""),
          budget: &budget
        ) { change in
          switch change {
          case .saved(let body):
            saved.append(try codec.decodeRecord(body).recordID.recordName)
          case .deleted(let name, _): deleted.append(name)
          }
        }
      }
      token = page.changeToken
      if !page.moreComing { return (saved, deleted, token) }
    }
  }

  func inbox(of user: String) throws -> (stories: [String], badge: Int?) {
    var (stories, token, badge) = ([] as [String], [] as [UInt8], nil as Int?)
    while true {
      var request = NotificationRequest(
        caller: Caller(user: user, device: ""),
        container: Self.database.container,
        environment: Self.database.environment,
        changeToken: token,
        limit: 7
      )
      request.wantsBadge = true
      let page = try reader.withSnapshot { try reader.notifications(request) }
      stories += try page.items.map {
        "\($0.subscriptionID) \(Self.story(try TidingsV1.Notification(decoding: $0.body)))"
      }
      badge = page.badge ?? badge
      token = page.changeToken
      if !page.moreComing { return (stories, badge) }
    }
  }

  static func story(_ notification: TidingsV1.Notification) -> String {
    guard notification.type == .query else { return "database" }
    let reasons = [1: "created", 2: "updated", 3: "deleted"]
    let reason = reasons[Int(notification.reason.rawValue)] ?? "?"
    return "\(reason) \(notification.recordID?.recordName ?? "")"
  }
}
