import TestSupport
import TidingsClient
import TidingsKit
import TidingsProto

/// A real `rpcd`, and containers on it.
struct KitServer {
  let server: TestServer

  init(arguments: [String] = []) async throws {
    self.init(try await TestServer.start(arguments: arguments))
  }

  /// One that finds its ports again when it is restarted.
  static func lasting() async throws -> KitServer { KitServer(try await .startLasting()) }

  init(_ server: TestServer) { self.server = server }

  /// The container of a user's device.
  func container(as user: String = "ada", device: String = "") -> CKContainer {
    var connection = CKContainer.Connection()
    connection.endpoints = [server.rpcEndpoint]
    connection.user = user
    connection.device = device
    return CKContainer(connection)
  }

  /// Creates a zone in a user's private database.
  func createZone(_ name: String, as user: String = "ada") async throws {
    let client = try await server.client(as: user)
    _ = try await client.zones.modifyRecordZones(
      .init(
        databaseID: .init(scope: .private),
        zonesToSave: [.init(zoneID: .init(zoneName: name))]
      )
    )
    await client.close()
  }
}
