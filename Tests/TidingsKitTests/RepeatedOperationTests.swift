import TestSupport
import Testing
import TidingsKit

/// Operations whose answers are lost, and which are repeated, when another device has changed something in between.
@Suite(.endsServers) struct RepeatedOperationTests {
  private func exists(_ zone: CKRecordZone.ID, in database: CKDatabase) async throws -> Bool {
    do {
      _ = try await database.recordZone(for: zone)
      return true
    } catch let error as CKError where error.code == .zoneNotFound {
      return false
    }
  }

  @Test("a zone that another device creates again survives the repetition of its deletion")
  func zoneDeletion() async throws {
    let kit = try await KitServer()
    let proxy = try CallProxy(to: kit.server.rpcEndpoint)
    var connection = CKContainer.Connection()
    connection.endpoints = [proxy.endpoint]
    connection.user = "ada"
    connection.device = "phone"
    let phone = CKContainer(connection).privateCloudDatabase
    let laptop = kit.container(device: "laptop").privateCloudDatabase
    let zoneID = CKRecordZone.ID(zoneName: "Trips")
    _ = try await phone.save(CKRecordZone(zoneID: zoneID))

    proxy.swallow(.toClients)
    let deletion = Task { try await phone.deleteRecordZone(withID: zoneID) }
    try await waitUntil("the zone to be deleted") { try await !exists(zoneID, in: laptop) }
    _ = try await laptop.save(CKRecordZone(zoneID: zoneID))
    let recordID = CKRecord.ID(recordName: "place", zoneID: zoneID)
    _ = try await laptop.save(CKRecord(recordType: "Places", recordID: recordID))
    // A connection of which something has vanished carries nothing more: the answer is that of a repetition.
    try await waitUntil("the answer to be swallowed") { proxy.swallowedBytes > 0 }
    proxy.swallow([])
    proxy.cut()

    #expect(try await deletion.value == zoneID)
    #expect(try await laptop.record(for: recordID).recordID == recordID)
    #expect(proxy.connectionCount > 1)
  }
}
