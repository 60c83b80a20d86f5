internal import EngineTestSupport
internal import TestSupport
internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

/// An event of a channel with so many subscribers that its targets are found in several pieces.
@Suite struct DeliveryDispatchTests {
  private static let subscriberCount = 501
  private static let targetCount: Int64 = 1_001
  /// The last target of the first piece.
  private static let lastOfPiece: Int64 = 999

  /// A store in which a change of a record fires for all targets.
  private func subscribed() throws -> PublicStore {
    let store = try PublicStore()
    _ = try store.modify([Record("first", ["n": .int64(0)])], by: "writer")
    let users = (0..<Self.subscriberCount).map { "u\($0)" }
    let subscription = Subscription(
      subscriptionID: "s",
      recordType: "T",
      predicate: .true,
      options: .recordCreation
    )
    try store.commit { engine in
      for user in users {
        _ = try engine.saveSubscription(subscription, of: user, in: PublicStore.database)
      }
    }
    // Their key is not there, so that what is found for them becomes a dead letter and stays.
    let rows = (1...Self.targetCount).map { id in
      "(\(id), '\(users[Int(id) % users.count])', 'c', 1, 'd\(id)', x'01', x'02', 0, 0)"
    }
    try store.execute(
      """
      INSERT INTO delivery_targets
        (id, owner, container, environment, device, identity, sealed, since_event, created)
      VALUES \(rows.joined(separator: ", "))
      """
    )
    try store.restart()
    return store
  }

  private func lease(_ store: PublicStore) throws -> DeliveryPage {
    try store.commit { try $0.leaseDeliveries(limit: 0, for: .seconds(60)) }
  }

  /// Walks the log to its end.
  private func leaseAll(_ store: PublicStore) throws {
    try blockUntil("the end of the log", pausing: .zero) { try !lease(store).moreComing }
  }

  /// How many deliveries there are of the newest event, and how many targets they have.
  private func counts(_ store: PublicStore) throws -> [Int64] {
    try ["*", "DISTINCT target_id"].map { counted in
      try store.number(
        """
        SELECT count(\(counted)) FROM deliveries
        WHERE sequence = (SELECT max(sequence) FROM events)
        """
      )
    }
  }

  @Test("targets are found once when a channel loses subscribers between two pieces")
  func fewerSubscribers() throws {
    let store = try subscribed()
    _ = try store.modify([Record("second", ["n": .int64(0)])], by: "writer")
    _ = try lease(store)
    #expect(try counts(store) == [Self.lastOfPiece, Self.lastOfPiece])
    // As the erasure of a user leaves it, whose targets were all in the first piece.
    try store.execute("DELETE FROM subscriptions WHERE owner = 'u100'")
    try leaseAll(store)
    #expect(try counts(store) == [Self.targetCount, Self.targetCount])
  }

  @Test("an event that is forgotten between two pieces hides none of the next one")
  func forgottenEvent() throws {
    let store = try subscribed()
    _ = try store.modify([Record("second", ["n": .int64(0)])], by: "writer")
    _ = try lease(store)
    #expect(try counts(store) == [Self.lastOfPiece, Self.lastOfPiece])
    _ = try store.modify([Record("third", ["n": .int64(0)])], by: "writer")
    try store.execute("DELETE FROM events WHERE id < (SELECT max(id) FROM events)")
    try leaseAll(store)
    #expect(try counts(store) == [Self.targetCount, Self.targetCount])
  }
}
