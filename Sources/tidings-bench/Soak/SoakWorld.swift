import BenchCore
import TidingsClient
import TidingsProto
import TidingsRPC

/// The users of a soak, their records, and the connections of their devices.
struct SoakWorld: Sendable {
  /// One user: a device that writes and reads, and one that only gets notifications.
  struct User: Sendable {
    let name: String
    let client: Client
    let listener: Client
  }

  static let users = 4
  static let zones = 2
  /// Records of a zone, of the type whose saves fire.
  static let records = 2_000
  /// Records of a zone, of the type of batches.
  static let visitors = 2_000
  static let cities = 100
  static let recordType = "House"
  static let visitorType = "Visitor"
  static let assetType = "Picture"
  /// Files that differ; there are never more in the store.
  static let assets = 64
  static let assetBytes = 32 << 10
  private static let recordsPerCall = 200

  let users: [User]
  let seed: Int

  init(_ server: ServerProcess, seed: Int) async throws {
    self.seed = seed
    var users: [User] = []
    for number in 0..<Self.users {
      let name = "soak-\(number)"
      users.append(
        User(
          name: name,
          client: try await ClientCase.makeClient(server, as: name, device: "writer"),
          listener: try await ClientCase.makeClient(server, as: name, device: "listener")
        )
      )
    }
    self.users = users
  }

  func close() async {
    for user in users {
      await user.client.close()
      await user.listener.close()
    }
  }

  /// Saves what is there from the beginning.
  func prepare() async throws {
    for user in users {
      try await SoakCheck.zones(
        user.client.zones.modifyRecordZones(
          .init(
            databaseID: Calls.database,
            zonesToSave: (0..<Self.zones).map { .init(zoneID: Self.zone($0)) }
          )
        )
      )
      for zone in 0..<Self.zones {
        try await save(Self.recordType, Self.records, zone, user)
        try await save(Self.visitorType, Self.visitors, zone, user)
      }
    }
    let text = try await users[0].client.schemas.fetchSchema(Self.schemaRequest).text
    _ = try await users[0].client.schemas.applySchema(
      .init(
        container: Calls.database.container,
        text: SchemaText.declaring(["city"], in: text, isQueryable: true)
      )
    )
    for user in users {
      try await SoakCheck.subscriptions(
        user.listener.subscriptions.modifySubscriptions(
          .init(
            databaseID: Calls.database,
            subscriptionsToSave: [Self.subscription("soak", price: 0)]
          )
        )
      )
    }
  }

  private func save(_ type: String, _ count: Int, _ zone: Int, _ user: User) async throws {
    for first in stride(from: 0, to: count, by: Self.recordsPerCall) {
      try Interruption.check()
      let records = (first..<min(first + Self.recordsPerCall, count)).map {
        record(type, $0, zone, price: 0)
      }
      try await SoakCheck.records(
        user.client.records.modifyRecords(Calls.saving(records, updates: true))
      )
    }
  }

  /// One that each save of the firing type with a price above `price` fires.
  static func subscription(_ name: String, price: Int) -> TidingsV1.Subscription {
    .init(
      subscriptionID: name,
      type: .query,
      recordType: recordType,
      predicate: .init(text: "price > \(price)"),
      firesOnRecordCreation: true,
      firesOnRecordUpdate: true,
      notificationInfo: .init(alertBody: "A house", desiredKeys: ["price"])
    )
  }

  static let schemaRequest = TidingsV1.FetchSchemaRequest(
    container: Calls.database.container,
    environment: .development
  )

  static func zone(_ number: Int) -> TidingsV1.ZoneID { .init(zoneName: "zone-\(number)") }

  static func recordID(_ type: String, _ number: Int, _ zone: Int) -> TidingsV1.RecordID {
    .init(recordName: type.lowercased() + "-\(number)", zoneID: self.zone(zone))
  }

  func record(_ type: String, _ number: Int, _ zone: Int, price: Int) -> TidingsV1.Record {
    .init(
      recordID: Self.recordID(type, number, zone),
      recordType: type,
      fields: [
        "city": .init(value: .stringValue("city-\(number % Self.cities)")),
        "price": .init(value: .int64Value(Int64(price))),
        "number": .init(value: .int64Value(Int64(number))),
        "about": .init(value: .stringValue(String(repeating: "a", count: 100 + number % 200))),
      ]
    )
  }

  /// One of `count` things for a call: each comes equally often, in an order that the seed changes.
  func choice(_ number: Int, of count: Int) -> Int { (number &* 7_919 &+ seed &* 104_729) % count }
}

/// Throws when an item of an answer failed.
enum SoakCheck {
  static func records(_ response: TidingsV1.ModifyRecordsResponse) throws {
    for case .error(let error)? in response.results.map(\.outcome) { throw failure(error) }
  }

  static func records(_ response: TidingsV1.FetchRecordsResponse) throws {
    for case .error(let error)? in response.results.map(\.outcome) { throw failure(error) }
  }

  static func zones(_ response: TidingsV1.ModifyRecordZonesResponse) throws {
    for case .error(let error)? in response.results.map(\.outcome) { throw failure(error) }
  }

  static func subscriptions(_ response: TidingsV1.ModifySubscriptionsResponse) throws {
    for case .error(let error)? in response.results.map(\.outcome) { throw failure(error) }
  }

  private static func failure(_ error: TidingsV1.ItemError) -> BenchError {
    BenchError("an item failed: \(error.message)")
  }
}
