internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsModel
internal import TidingsSQL
internal import TidingsSQLite

@testable internal import TidingsEngine

/// Stores that earlier versions wrote, whose times are whole milliseconds.
@Suite(.embeddedOnly) struct TimeMigrationTests {
  /// Reverts what the step to nanoseconds and the later ones did to the schema.
  private func downgrade(_ path: String) throws {
    let connection = try SQLiteConnection(path: path)
    try connection.execute("DROP INDEX account_keys_by_expiry")
    for column in [
      "zones.created", "zone_removals.deleted", "subscriptions.saved", "fetches.fetched",
      "read_marks.marked", "work_leases.leased", "work_leases.settled", "accounts.created",
      "accounts.restricted", "account_keys.admitted", "account_keys.expires",
      "account_keys.revoked",
    ] {
      let parts = column.split(separator: ".")
      try connection.execute("ALTER TABLE \(parts[0]) DROP COLUMN \(parts[1])_nanos")
    }
    try connection.execute(
      """
      CREATE INDEX account_keys_by_expiry ON account_keys (expires)
        WHERE expires IS NOT NULL AND revoked IS NULL AND retired = 0;
      DROP TABLE settings;
      DROP TABLE environment_resets;
      DROP TABLE user_erasures;
      DROP TABLE erased_databases;
      DROP INDEX asset_uploads_by_user;
      DROP INDEX assets_by_payer;
      DROP INDEX type_users_by_user;
      DROP INDEX shares_of_database;
      DROP INDEX subscriptions_active_by_owner; DROP INDEX subscriptions_ended_by_owner;
      DROP INDEX share_members; DROP INDEX shared_records_present;
      DROP TABLE directory_entries;
      DROP TABLE share_invitations;
      DROP TABLE access_requests;
      DROP TABLE web_tokens; DROP TABLE delivery_targets; DROP TABLE deliveries; DROP TABLE delivery_progress;
      DELETE FROM migrations WHERE number >= \(Migration.nanoseconds.number)
      """
    )
  }

  @Test("old and new times are in one order, by index and by scan, and mean what they did")
  func oneOrder() throws {
    let seed = Seed.make("TimeMigration.oneOrder")
    var random = SplitMix64(seed: seed)
    let path = try TemporaryFolder().file("db")
    let milliseconds = (0..<40).map { _ in
      random.pick([-1, 0, 1, 1_767_323_045_678, -62_135_596_800_000]) + Int64(random.below(4))
    }
    do {
      let store = try QueryStore(testDatabase: TestDatabase(file: path))
      try store.declare("t")
      try store.makeZone("old")
      try store.save(
        milliseconds.enumerated().map { index, time in
          record("old\(index)", ["t": .timestamp(Timestamp(millisecondsSince1970: time))])
        }
      )
      try store.doMaintenance()
    }
    try downgrade(path)

    let store = try QueryStore(testDatabase: TestDatabase(file: path))
    store.now.nanoseconds += 123_456_789
    try store.makeZone("new")
    let zones = try store.write { try store.engine.zones(in: store.database) }
    let created = Dictionary(uniqueKeysWithValues: zones.map { ($0.id.zoneName, $0.created) })
    #expect(created["old"] == Timestamp(millisecondsSince1970: 1_700_000_000_000))
    #expect(created["new"] == store.now)
    var times = Dictionary(
      uniqueKeysWithValues: milliseconds.enumerated().map {
        ("old\($0)", Timestamp(millisecondsSince1970: $1))
      }
    )
    for index in 0..<40 {
      var time = Timestamp(millisecondsSince1970: random.pick(milliseconds))
      time.nanoseconds += random.pick([0, 1, 255, 256, 999_999])
      times["new\(index)"] = time
    }
    try store.save(
      times.filter { $0.key.hasPrefix("new") }
        .map { record($0.key, ["t": .timestamp($0.value)]) }
    )
    let sorted = try store.all(store.query(sort: [.init(field: "t")])) { 7 }
    #expect(
      sorted.map { times[$0.recordID.recordName] } == times.values.sorted(),
      "seed \(seed)"
    )
    for time in Set(times.values) {
      for symbol in ["=", "<", "<=", ">", ">="] {
        let found = try store.all(store.query("t \(symbol) @\(time.iso8601)")) { 11 }
        let expected = times.filter { _, other in
          switch symbol {
          case "=": other == time
          case "<": other < time
          case "<=": other <= time
          case ">": other > time
          default: other >= time
          }
        }
        #expect(
          Set(found.map(\.recordID.recordName)) == Set(expected.keys),
          "t \(symbol) \(time.iso8601), seed \(seed)"
        )
      }
    }
  }
}
