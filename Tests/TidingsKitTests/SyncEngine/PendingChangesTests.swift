import Foundation
import Testing

@testable import TidingsKit

@Suite struct PendingChangesTests {
  typealias Change = CKSyncEngine.PendingRecordZoneChange
  private let a = MachineDriver.id("a")
  private let b = MachineDriver.id("b")

  @Test("the same change merges with an earlier one, an opposite one replaces it")
  func merging() {
    var changes = PendingChanges<Change>([.saveRecord(a), .saveRecord(b), .saveRecord(a)])
    #expect(changes.all == [.saveRecord(a), .saveRecord(b)])
    changes.add(.deleteRecord(a))
    #expect(changes.all == [.saveRecord(b), .deleteRecord(a)])
    changes.add(.saveRecord(a))
    #expect(changes.all == [.saveRecord(b), .saveRecord(a)])
  }

  @Test("only what waits is rolled back")
  func removing() {
    var changes = PendingChanges<Change>([.saveRecord(a)])
    changes.remove(.deleteRecord(a))
    #expect(changes.all == [.saveRecord(a)])
    changes.remove(.saveRecord(a))
    #expect(changes.isEmpty)
  }

  @Test("what is added again while it is sent stays")
  func settling() {
    var changes = PendingChanges<Change>([.saveRecord(a), .saveRecord(b)])
    let time = changes.time
    changes.add(.saveRecord(a))
    let settled = [a, b].map { changes.settle(.saveRecord($0), asOf: time) }
    #expect(settled == [false, true])
    #expect(changes.all == [.saveRecord(a)])
    let later = changes.time
    changes.add(.deleteRecord(a))
    _ = changes.settle(.saveRecord(a), asOf: later)
    #expect(changes.all == [.deleteRecord(a)])
    let all = changes.restoring([.saveRecord(a), .saveRecord(b)]).all
    #expect(all == [.deleteRecord(a), .saveRecord(b)])
  }

  @Test("zones are the same when their identities are")
  func zones() {
    let zone = MachineDriver.zone("z")
    var changes = PendingChanges<CKSyncEngine.PendingDatabaseChange>()
    changes.add(.saveZone(CKRecordZone(zoneID: zone)))
    changes.add(.saveZone(CKRecordZone(zoneID: zone)))
    #expect(changes.all == [.saveZone(CKRecordZone(zoneID: zone))])
    changes.add(.deleteZone(zone))
    #expect(changes.all == [.deleteZone(zone)])
  }

  @Test("what is kept comes back, and what a newer version wrote is refused")
  func keeping() throws {
    var progress = SyncProgress()
    progress.user = "ada"
    progress.databaseToken = [1, 2, 3]
    progress.zoneTokens = [MachineDriver.zone("z"): [4, 5]]
    progress.noteChange(in: .init(zoneName: "other", ownerName: "bob"))
    progress.noteChange(in: MachineDriver.zone("y"))
    progress.hasUntrackedChanges = true
    for change in [Change.saveRecord(a), .deleteRecord(b), .saveRecord(MachineDriver.id("c", "w"))]
    {
      progress.records.add(change)
    }
    progress.zones.add(.deleteZone(MachineDriver.zone("v")))
    progress.zones.add(.saveZone(CKRecordZone(zoneID: MachineDriver.zone("w"))))
    let state = CKSyncEngine.State.Serialization(progress)
    let data = try JSONEncoder().encode(state)
    let copy = try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: data).progress
    #expect(copy.user == "ada")
    #expect(copy.databaseToken == [1, 2, 3])
    #expect(copy.zoneTokens == progress.zoneTokens)
    #expect(copy.unfetchedZones == progress.unfetchedZones)
    #expect(copy.records.all == progress.records.all)
    #expect(copy.zones.all == progress.zones.all)
    #expect(copy.hasUntrackedChanges)
    let list = try PropertyListEncoder().encode(state)
    #expect(throws: Never.self) {
      try PropertyListDecoder().decode(CKSyncEngine.State.Serialization.self, from: list)
    }
    let newer = String(decoding: data, as: UTF8.self)
      .replacingOccurrences(of: "\"version\":1", with: "\"version\":2")
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: Data(newer.utf8))
    }
  }
}
