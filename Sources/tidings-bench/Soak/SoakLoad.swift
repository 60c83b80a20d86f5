import BenchCore
import TidingsClient
import TidingsProto
import TidingsRPC

/// Calls of one kind, one after the other at a constant rate.
///
/// A call counts from when it was to begin if the call before it delayed it.
struct SoakLoad: Sendable {
  typealias Call = @Sendable (_ number: Int) async throws -> Void

  let kind: SoakKind
  /// Nanoseconds between two calls.
  let interval: UInt64
  let call: Call

  func run(_ recorder: SoakRecorder) async {
    var due = Clock.now()
    var number = 0
    while !recorder.isStopped {
      let now = Clock.now()
      if due > now { try? await Task.sleep(for: .nanoseconds(due - now), tolerance: .zero) }
      guard !recorder.isStopped else { return }
      let began = due > now ? Clock.now() : due
      do {
        try await call(number)
        recorder.add(kind, from: began, to: Clock.now())
      } catch {
        recorder.fail(kind.rawValue, error)
      }
      number += 1
      due += interval
    }
  }
}

extension SoakWorld {
  /// All loads: each kind's calls are shared by the users.
  func loads(_ endpoint: String, rate: Int, _ recorder: SoakRecorder) -> [SoakLoad] {
    users.flatMap { user in
      SoakKind.allCases.compactMap { kind in
        guard let call = call(kind, user, endpoint, recorder) else { return nil }
        let perSecond = kind.perSecond * Double(rate) / 100 / Double(users.count)
        return SoakLoad(kind: kind, interval: UInt64(1e9 / perSecond), call: call)
      }
    }
  }

  private func call(
    _ kind: SoakKind,
    _ user: User,
    _ endpoint: String,
    _ recorder: SoakRecorder
  ) -> SoakLoad.Call? {
    switch kind {
    case .push: nil
    case .save: { try await save($0, user, recorder) }
    case .batch: { try await batch($0, user) }
    case .lookup: { try await lookup($0, user) }
    case .query: { try await query($0, user) }
    case .feed: SoakFeed(user).next
    case .log: SoakFeed(user).nextNotifications
    case .asset: { try await asset($0, user) }
    case .subscription: { try await subscribe($0, user) }
    case .connection: { try await connect($0, user, endpoint) }
    }
  }

  private func save(_ number: Int, _ user: User, _ recorder: SoakRecorder) async throws {
    let (zone, index) = (number % Self.zones, choice(number, of: Self.records))
    let record = record(Self.recordType, index, zone, price: number + 1)
    recorder.expectPush("\(user.name)/\(index)/\(zone)", of: user.name, since: Clock.now())
    try await SoakCheck.records(
      user.client.records.modifyRecords(Calls.saving([record], updates: true))
    )
  }

  /// Replaces the oldest records of a zone by new ones.
  private func batch(_ number: Int, _ user: User) async throws {
    let (zone, round, size) = (number % Self.zones, number / Self.zones, 20)
    let oldest = round * size
    let new = Self.visitors + oldest
    try await SoakCheck.records(
      user.client.records.modifyRecords(
        .init(
          databaseID: Calls.database,
          recordsToSave: (new..<new + size).map { record(Self.visitorType, $0, zone, price: 0) },
          recordIDsToDelete: (oldest..<oldest + size).map {
            Self.recordID(Self.visitorType, $0, zone)
          }
        )
      )
    )
  }

  private func lookup(_ number: Int, _ user: User) async throws {
    let count = 1 + number % 10
    let zone = number % Self.zones
    try await SoakCheck.records(
      user.client.records.fetchRecords(
        .init(
          databaseID: Calls.database,
          recordIDs: (0..<count).map {
            Self.recordID(Self.recordType, choice(number + 31 * $0, of: Self.records), zone)
          }
        )
      )
    )
  }

  private func query(_ number: Int, _ user: User) async throws {
    let response = try await user.client.records.queryRecords(
      .init(
        databaseID: Calls.database,
        recordType: Self.recordType,
        predicate: .init(text: "city == 'city-\(choice(number, of: Self.cities))'"),
        zoneID: Self.zone(number % Self.zones),
        limit: 50
      )
    )
    guard response.records.count == Self.records / Self.cities else {
      throw BenchError("a query found \(response.records.count) records")
    }
  }

  /// A file, and a record that names it in place of another.
  private func asset(_ number: Int, _ user: User) async throws {
    let content = choice(number, of: Self.assets)
    let asset = try await user.client.assets(in: Calls.database).upload(
      (0..<Self.assetBytes).map { UInt8(truncatingIfNeeded: $0 &* (content + 1)) }
    )
    var record = record(Self.assetType, number % 32, 0, price: 0)
    record.fields["picture"] = .init(value: .assetValue(asset))
    try await SoakCheck.records(
      user.client.records.modifyRecords(Calls.saving([record], updates: true))
    )
  }

  private func subscribe(_ number: Int, _ user: User) async throws {
    let name = "soak-\(number)"
    // None of the saves reaches this price.
    let subscription = Self.subscription(name, price: 1_000_000_000 + number)
    try await SoakCheck.subscriptions(
      user.client.subscriptions.modifySubscriptions(
        .init(databaseID: Calls.database, subscriptionsToSave: [subscription])
      )
    )
    try await SoakCheck.subscriptions(
      user.client.subscriptions.modifySubscriptions(
        .init(databaseID: Calls.database, subscriptionIDsToDelete: [name])
      )
    )
  }

  private func connect(_ number: Int, _ user: User, _ endpoint: String) async throws {
    var configuration = ClientConfiguration(endpoint: endpoint)
    (configuration.user, configuration.device) = (user.name, "visitor")
    configuration.container = Calls.database.container
    let client = try await Client(configuration)
    do {
      try await SoakCheck.records(
        client.records.fetchRecords(
          .init(
            databaseID: Calls.database,
            recordIDs: [Self.recordID(Self.recordType, choice(number, of: Self.records), 0)]
          )
        )
      )
    } catch {
      await client.close()
      throw error
    }
    await client.close()
  }
}

extension SoakWorld.User {
  /// Takes the notifications of the user's saves until the task is cancelled.
  func listen(_ recorder: SoakRecorder) async {
    while !recorder.isStopped, !Task.isCancelled {
      do {
        for try await notification in listener.notificationStream() {
          let now = Clock.now()
          guard let id = notification.recordID,
            let number = id.recordName.split(separator: "-").last,
            let zone = id.zoneID?.zoneName.split(separator: "-").last
          else { continue }
          recorder.notePush("\(name)/\(number)/\(zone)", of: name, at: now)
        }
      } catch {
        recorder.fail("notifications", error)
      }
    }
  }
}

/// Follows the changes of a user's zones, and the log of notifications, page by page.
actor SoakFeed {
  private let user: SoakWorld.User
  private var tokens = [[UInt8]](repeating: [], count: SoakWorld.zones)
  private var logToken: [UInt8] = []

  init(_ user: SoakWorld.User) { self.user = user }

  /// Reads the next page of a zone.
  @Sendable func next(_ number: Int) async throws {
    let zone = number % tokens.count
    let response = try await user.client.records.fetchRecordZoneChanges(
      .init(
        databaseID: Calls.database,
        zones: [.init(zoneID: SoakWorld.zone(zone), changeToken: tokens[zone], limit: 100)]
      )
    )
    guard let changes = response.zones.first else { throw BenchError("a feed without its zone") }
    if let error = changes.error {
      // Tombstones that the reader had not seen were removed.
      guard error.code == .changeTokenExpired else { throw BenchError(error.message) }
      tokens[zone] = []
      return
    }
    tokens[zone] = changes.changeToken
  }

  /// Reads the next page of the log.
  @Sendable func nextNotifications(_ number: Int) async throws {
    do {
      let response = try await user.client.notifications.fetchNotificationChanges(
        .init(container: Calls.database.container, changeToken: logToken, limit: 100)
      )
      logToken = response.changeToken
    } catch {
      // Notifications that the reader had not seen were removed.
      guard error.code == .outOfRange else { throw error }
      logToken = []
    }
  }
}
