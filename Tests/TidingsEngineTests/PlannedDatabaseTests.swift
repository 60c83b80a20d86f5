internal import EngineTestSupport
internal import Testing
internal import TidingsEngine
internal import TidingsModel
internal import TidingsSQL

/// A database and its default zone are made with their first record, and not before.
@Suite struct PlannedDatabaseTests {
  private static let caller = Caller(user: "anna", device: "phone")

  private static func changes(
    _ scope: DatabaseScope,
    saving tags: [String],
    deleting names: [String] = []
  ) -> RecordChanges {
    var changes = RecordChanges(
      database: DatabaseID(
        container: "default",
        environment: .development,
        scope: scope,
        owner: scope == .public ? "" : "anna"
      ),
      saves: tags.enumerated().map { index, tag in
        var record = Record(recordID: RecordID(recordName: "r\(index)"), recordType: "T")
        record.changeTag = tag
        return record
      },
      deletions: names.map { RecordID(recordName: $0) }
    )
    changes.isAtomic = false
    return changes
  }

  private func rows(_ table: String, in store: EngineHarness) throws -> Int64 {
    let count = try store.connection.prepare("SELECT count(*) FROM \(table)")
    defer { count.reset() }
    _ = try count.step()
    return count.int64(0)
  }

  @Test("a call that writes no record makes nothing", arguments: [DatabaseScope.private, .public])
  func nothing(scope: DatabaseScope) throws {
    let store = try EngineHarness()
    var dryRun = Self.changes(scope, saving: [""])
    dryRun.isDryRun = true
    for changes in [
      Self.changes(scope, saving: ["1", "z"]), Self.changes(scope, saving: [], deleting: ["r0"]),
      dryRun,
    ] {
      let modified = try store.commit { try $0.modifyRecords(changes, caller: Self.caller) }
      #expect(!modified.changedAnything)
      #expect(try rows("databases", in: store) == 0)
      #expect(try rows("zones", in: store) == 0)
    }
  }

  @Test("the first record makes its database and zone, and in public the user's own database")
  func first() throws {
    for (scope, databases) in [(DatabaseScope.private, Int64(1)), (.public, 2)] {
      let store = try EngineHarness()
      let changes = Self.changes(scope, saving: ["", "1", ""])
      let modified = try store.commit { try $0.modifyRecords(changes, caller: Self.caller) }
      let areSaved = modified.outcomes.map { outcome in
        if case .saved = outcome { true } else { false }
      }
      #expect(areSaved == [true, false, true])
      #expect(try rows("databases", in: store) == databases)
      #expect(try rows("zones", in: store) == 1)
      #expect(try rows("records", in: store) == 2)
      // The next call finds them.
      _ = try store.commit {
        try $0.modifyRecords(Self.changes(scope, saving: []), caller: Self.caller)
      }
      #expect(try rows("databases", in: store) == databases)
    }
  }

  @Test("a container too many is refused before anything is made, in a dry run too")
  func containers() throws {
    var limits = Limits()
    limits.containersPerUserMax = 0
    let store = try EngineHarness(limits: limits)
    for (scope, isDryRun) in [
      (DatabaseScope.private, false), (.public, false), (.private, true), (.public, true),
    ] {
      var changes = Self.changes(scope, saving: [""])
      changes.isDryRun = isDryRun
      #expect {
        try store.commit { try $0.modifyRecords(changes, caller: Self.caller) }
      } throws: { ($0 as? ItemError)?.code == .limitExceeded }
      #expect(try rows("databases", in: store) == 0)
    }
  }
}
