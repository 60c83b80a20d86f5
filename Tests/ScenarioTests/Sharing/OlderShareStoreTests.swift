internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsSQL
internal import TidingsSQLite

/// Shares in a store that was written before there were requests, one-time URLs and administrators.
@Suite(.endsServers, .embeddedOnly) struct OlderShareStoreTests {
  private typealias World = SharingWorld

  /// Reverts what the step and the later ones did to the schema.
  static func downgrade(_ path: String) throws {
    let older = try SQLiteConnection(path: path)
    try older.execute(
      """
      DROP TABLE share_invitations;
      DROP TABLE access_requests;
      DROP TABLE web_tokens; DROP TABLE delivery_targets; DROP TABLE deliveries; DROP TABLE delivery_progress;
      DROP INDEX subscriptions_active_by_owner; DROP INDEX subscriptions_ended_by_owner;
      DROP INDEX share_members; DROP INDEX shared_records_present;
      DELETE FROM migrations WHERE number >= 15
      """
    )
  }

  @Test("shares of an older store keep their participants, and take requests and invitations")
  func migrated() async throws {
    let world = try await World()
    let url = try await world.shareTrip()
    let before = try await world.stored("s")
    try await world.server.stop()
    try Self.downgrade(world.server.folder.file("data/tidings.sqlite"))
    let again = try await World(continuing: world.server.restarted())
    #expect(try await again.stored("s") == before)
    #expect(try await World.seen(["trip", "diary"], by: again.ben) == ["ada/trip", "11"])
    try await again.change("s") { share in
      share.allowsAccessRequests = true
      share.setAdministrators(["ben"], to: true)
    }
    #expect(try await World.request(url, by: again.cleo) == 0)
    #expect(try await again.requesters() == ["cleo"])
    let oneTime = try await again.invite("guest")
    let dora = try await again.server.client(as: "dora")
    #expect(try await World.acceptanceCode(of: oneTime, by: dora) == 0)
    #expect(try await World.change(as: again.ben) { $0.grantAccess(to: ["cleo"], .readOnly) } == 0)
    #expect(try await World.acceptanceCode(of: url, by: again.cleo) == 0)
  }
}
