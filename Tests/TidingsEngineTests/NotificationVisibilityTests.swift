internal import EngineTestSupport
internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

/// What of a channel's notifications a subscriber may see, over the engine.
@Suite struct NotificationVisibilityTests {
  private static let schema = """
    DEFINE SCHEMA
        RECORD TYPE Own ( n INT64,
            GRANT CREATE TO "_icloud", GRANT READ, WRITE TO "_creator" );
        RECORD TYPE Open ( n INT64,
            GRANT READ TO "_world", GRANT CREATE TO "_icloud" );
    """

  @Test("what a transaction that was rolled back reported of a channel is forgotten")
  func rollback() throws {
    let store = try PublicStore()
    let engine = store.engine
    _ = try store.publish { try $0.applySchema(Self.schema, to: "c", isDryRun: false) }
    func subscribe(_ type: String) throws -> Int64 {
      try engine.saveSubscription(
        Subscription(
          subscriptionID: type,
          recordType: type,
          predicate: .true,
          options: [.recordCreation]
        ),
        of: "bob",
        in: PublicStore.database
      ).channel
    }
    func save(_ type: String, by user: String) throws {
      _ = try engine.modifyRecords(
        RecordChanges(
          database: PublicStore.database,
          saves: [Record(recordID: RecordID(recordName: "r"), recordType: type)],
          deletions: [],
          policy: .allKeys
        ),
        caller: Caller(user: user, device: "writer")
      )
    }
    func leaseCount() throws -> Int {
      try engine.leaseNotifications(
        of: WorkGroup(container: "c", environment: .development, name: "g"),
        for: Caller(user: "bob", device: "worker"),
        limit: 10,
        timeout: .standard,
        startsAtEnd: false
      ).items.count
    }
    try engine.begin()
    let first = try subscribe("Own")
    try save("Own", by: "bob")
    #expect(try leaseCount() == 1)
    engine.rollback()

    try engine.begin()
    let second = try subscribe("Open")
    // SQLite gives the number of a row that was rolled back again, PostgreSQL does not.
    if TestDatabase.isEmbedded { #expect(second == first) }
    try save("Open", by: "ann")
    #expect(try leaseCount() == 1)
    _ = try engine.commit()
  }
}
