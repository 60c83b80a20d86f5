import TestSupport
import TidingsClient
import TidingsProto

extension KitServer {
  /// Creates a zone of a user.
  func makeZone(_ name: String, of user: String = "ada") async throws {
    let client = try await server.client(as: user)
    _ = try await client.zones.modifyRecordZones(
      .init(zonesToSave: [.init(zoneID: .init(zoneName: name))])
    )
    await client.close()
  }
}
