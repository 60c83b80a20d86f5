import TestSupport
import TidingsKit
import TidingsProto

/// A real `rpcd`, and containers on it.
struct KitServer {
  let server: TestServer

  init() async throws { server = try await TestServer.start() }

  /// The container of a user's device.
  func container(as user: String = "ada", device: String = "") -> CKContainer {
    var connection = CKContainer.Connection()
    connection.endpoint = server.rpcEndpoint
    connection.user = user
    connection.device = device
    return CKContainer(connection)
  }
}

extension KitServer {
  /// Saves a zone.
  func save(_ zone: CKRecordZone, in database: CKDatabase) async throws {
    var request = TidingsV1.ModifyZonesRequest(
      databaseID: .init(scope: .init(rawValue: Int32(database.databaseScope.rawValue)))
    )
    request.zonesToSave = [.init(zoneID: .init(zoneName: zone.zoneID.zoneName))]
    let client = try await server.client(as: "ada")
    _ = try await client.zones.modifyZones(request)
    await client.close()
  }
}
