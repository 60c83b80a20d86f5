import Foundation
import Synchronization
import TestSupport
import Testing
import TidingsKit

/// Zones in the three styles of CloudKit's users.
@Suite(.endsServers) struct ZoneTests {
  @Test("code that waits creates, fetches and deletes zones")
  func waiting() async throws {
    let database = try await KitServer().container().privateCloudDatabase
    let zone = try await database.save(CKRecordZone(zoneName: "Notes"))
    #expect(zone.zoneID == CKRecordZone.ID(zoneName: "Notes", ownerName: CKCurrentUserDefaultName))
    #expect(zone.capabilities.contains([.fetchChanges, .atomic, .sharing]))
    try await database.save(CKRecordZone(zoneName: "Notes"))
    #expect(try await database.recordZone(for: zone.zoneID).zoneID == zone.zoneID)
    let names = try await database.allRecordZones().map(\.zoneID.zoneName)
    #expect(Set(names) == [CKRecordZone.ID.defaultZoneName, "Notes"] && names.count == 2)

    // A zone can do what is known of it before it is fetched.
    for made in [CKRecordZone.default(), CKRecordZone(zoneName: "Notes")] {
      let fetched = try await database.recordZone(for: made.zoneID)
      #expect(fetched.capabilities == made.capabilities, "\(made)")
    }
    #expect(!CKRecordZone.default().capabilities.contains(.atomic))

    let other = CKRecordZone(zoneName: "Lists")
    let unknown = CKRecordZone.ID(zoneName: "Unknown")
    let (saves, deletions) = try await database.modifyRecordZones(
      saving: [other],
      deleting: [unknown]
    )
    #expect(try saves[other.zoneID]?.get().zoneID == other.zoneID)
    do {
      try deletions[unknown]?.get()
      Issue.record("an unknown zone was deleted")
    } catch CKError.zoneNotFound {
      // As it should be.
    }
    let results = try await database.recordZones(for: [other.zoneID, unknown])
    #expect(results.mapValues { (try? $0.get()) != nil } == [other.zoneID: true, unknown: false])

    try await database.deleteRecordZone(withID: zone.zoneID)
    do {
      try await database.recordZone(for: zone.zoneID)
      Issue.record("a deleted zone was fetched")
    } catch let error as CKError {
      #expect(error.code == .zoneNotFound)
    }
  }

  @Test("code that is called back creates, fetches and deletes zones")
  func callbacks() async throws {
    let database = try await KitServer().container().privateCloudDatabase
    let reported: [String] = await withCheckedContinuation { waiting in
      let reported = Mutex<[String]>([])
      let zone = CKRecordZone(zoneName: "Notes")
      database.save(zone) { saved, error in
        reported.withLock { $0.append("save \(saved?.zoneID.zoneName ?? "\(error as Any)")") }
        database.fetch(withRecordZoneID: zone.zoneID) { fetched, error in
          reported.withLock { $0.append("fetch \(fetched?.zoneID == zone.zoneID)") }
          database.fetchAllRecordZones { zones, error in
            reported.withLock { $0.append("all \(zones?.count ?? -1)") }
            database.delete(withRecordZoneID: zone.zoneID) { id, error in
              reported.withLock { $0.append("delete \(id == zone.zoneID)") }
              database.modifyRecordZones(saving: [zone], deleting: []) { result in
                reported.withLock {
                  $0.append("again \((try? result.get())?.saveResults.count ?? -1)")
                }
                database.fetch(withRecordZoneIDs: [zone.zoneID]) { result in
                  reported.withLock { $0.append("found \((try? result.get())?.count ?? -1)") }
                  waiting.resume(returning: reported.withLock { $0 })
                }
              }
            }
          }
        }
      }
    }
    #expect(
      reported == ["save Notes", "fetch true", "all 2", "delete true", "again 1", "found 1"]
    )
  }

  @Test("operations show each zone once, then the end")
  func operations() async throws {
    let database = try await KitServer().container().privateCloudDatabase
    let reported = Mutex<[String]>([])
    let unknown = CKRecordZone.ID(zoneName: "Unknown")
    let error: (any Error)? = await withCheckedContinuation { waiting in
      let operation = CKModifyRecordZonesOperation(
        recordZonesToSave: [CKRecordZone(zoneName: "A"), CKRecordZone(zoneName: "B")],
        recordZoneIDsToDelete: [unknown]
      )
      operation.perRecordZoneSaveBlock = { id, result in
        reported.withLock { $0.append("save \(id.zoneName) \((try? result.get()) != nil)") }
      }
      operation.perRecordZoneDeleteBlock = { id, result in
        reported.withLock { $0.append("delete \(id.zoneName) \((try? result.get()) != nil)") }
      }
      operation.modifyRecordZonesCompletionBlock = { saved, deleted, error in
        reported.withLock { $0.append("end \(saved?.count ?? -1) \(deleted?.count ?? -1)") }
        waiting.resume(returning: error)
      }
      database.add(operation)
    }
    #expect(
      reported.withLock { $0 } == ["save A true", "save B true", "delete Unknown false", "end 2 0"]
    )
    let failure = try #require(error as? CKError)
    #expect(failure.code == .partialFailure)
    let inner = failure.partialErrorsByItemID?[unknown] as? CKError
    #expect(inner?.code == .zoneNotFound)

    let all: Set<String> = await withCheckedContinuation { waiting in
      let operation = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
      operation.fetchRecordZonesCompletionBlock = { zones, error in
        waiting.resume(returning: Set(zones?.keys.map(\.zoneName) ?? []))
      }
      database.add(operation)
    }
    #expect(all == ["_defaultZone", "A", "B"])
    let some: [String] = await withCheckedContinuation { waiting in
      let found = Mutex<[String]>([])
      let ids = [CKRecordZone.ID(zoneName: "B"), unknown]
      let operation = CKFetchRecordZonesOperation(recordZoneIDs: ids)
      operation.perRecordZoneResultBlock = { id, result in
        found.withLock { $0.append("\(id.zoneName) \((try? result.get()) != nil)") }
      }
      operation.fetchRecordZonesResultBlock = { result in
        if case .failure(let error as CKError) = result, error.code == .partialFailure {
          found.withLock { $0.append("partial") }
        }
        waiting.resume(returning: found.withLock { $0 })
      }
      database.add(operation)
    }
    #expect(some == ["B true", "Unknown false", "partial"])
  }

  @Test("the public database has no zones of one's own")
  func publicZones() async throws {
    let database = try await KitServer().container().publicCloudDatabase
    let error = await #expect(throws: CKError.self) {
      try await database.save(CKRecordZone(zoneName: "A"))
    }
    #expect(error != nil)
  }
}
