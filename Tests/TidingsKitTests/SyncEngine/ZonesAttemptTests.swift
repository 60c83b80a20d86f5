import Testing

@testable import TidingsKit

@Suite struct ZonesAttemptTests {
  private let first = CKRecordZone.ID(zoneName: "first")
  private let second = CKRecordZone.ID(zoneName: "second")

  @Test("changes of zones without an answer are sent again as they were, with the same key")
  func sameKey() throws {
    var progress = SyncProgress()
    #expect(progress.nextZones(in: .all) == nil)
    progress.zones.add(.deleteZone(first))
    let sent = try #require(progress.nextZones(in: .all))
    #expect(sent.deleting == [first] && sent.saving.isEmpty)
    progress.unansweredZones = sent
    progress.zones.add(.deleteZone(second))
    let again = try #require(progress.nextZones(in: .all))
    #expect(again.key == sent.key && again.deleting == [first])
  }

  @Test("what the program changes, or excludes, is sent with another key")
  func otherKey() throws {
    var progress = SyncProgress()
    progress.zones.add(.deleteZone(first))
    let sent = try #require(progress.nextZones(in: .all))
    progress.unansweredZones = sent
    progress.zones.add(.deleteZone(second))
    let excluded = try #require(progress.nextZones(in: .zoneIDs([second])))
    #expect(excluded.key != sent.key && excluded.deleting == [second])
    // It was wanted again after it was sent.
    progress.zones.add(.deleteZone(first))
    let renewed = try #require(progress.nextZones(in: .all))
    #expect(renewed.key != sent.key && renewed.deleting == [first, second])
  }

  @Test("an engine sends a deletion again with the same key, and a later one with another")
  func engine() {
    var driver = MachineDriver()
    var keys: [String] = []
    driver.answer = { question in
      guard case .modifyZones(_, let deleting, let key) = question else {
        return MachineDriver.quiet(question)
      }
      keys.append(key)
      guard keys.count == 1 else { return MachineDriver.quiet(question) }
      let failures = deleting.map { ($0, CKError(.networkFailure)) }
      return .modifiedZones(
        .init(
          savedZones: [],
          failedZoneSaves: [],
          deletedZoneIDs: [],
          failedZoneDeletes: Dictionary(uniqueKeysWithValues: failures)
        )
      )
    }
    driver.machine.change { $0.zones.add(.deleteZone(first)) }
    driver.machine.request(.send(.init()), for: 1)
    driver.run()
    driver.machine.request(.send(.init()), for: 2)
    driver.run()
    #expect(driver.finished == [1: .networkFailure, 2: nil])
    #expect(keys.count == 2 && keys.first == keys.last)
    #expect(driver.machine.progress.zones.isEmpty)
    driver.machine.change { $0.zones.add(.deleteZone(first)) }
    driver.machine.request(.send(.init()), for: 3)
    driver.run()
    #expect(keys.count == 3 && keys.first != keys.last)
  }
}
