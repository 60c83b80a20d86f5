import TestSupport
import Testing
import TidingsKit

@Suite(.endsServers) struct WhistleStoreTests {
  @Test("a program that was written for CloudKit does what its author expects")
  func program() async throws {
    let server = try await TestServer.start()
    var connection = CKContainer.Connection()
    connection.endpoints = [server.rpcEndpoint]
    connection.user = "ada"
    let store = WhistleStore(CKContainer(connection))
    for _ in 0..<2 {
      let error: (any Error)? = await withCheckedContinuation { waiting in
        store.save("first") { waiting.resume(returning: $0) }
      }
      #expect(error == nil)
    }
    let (found, error) = await withCheckedContinuation { waiting in
      store.load { waiting.resume(returning: ($0, $1)) }
    }
    #expect(error == nil)
    #expect(found.map(\.recordID.recordName) == ["first"])
    let zoneError: (any Error)? = await withCheckedContinuation { waiting in
      store.createZone { waiting.resume(returning: $0) }
    }
    #expect(zoneError == nil)
    await withCheckedContinuation { waiting in store.fetchChanges { waiting.resume() } }
    #expect(store.zoneTokens.keys.contains(CKRecordZoneID(zoneName: "Notes")))
    #expect(try await store.modern() == ["first"])
  }
}
