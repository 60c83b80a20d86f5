import TestSupport
import TidingsKit

/// A real `rpcd`, and containers on it.
struct KitServer {
  let server: TestServer

  init() async throws { self.init(server: try await TestServer.start()) }

  init(server: TestServer) { self.server = server }

  /// The container of a user's device.
  func container(as user: String = "ada", device: String = "") -> CKContainer {
    var connection = CKContainer.Connection()
    connection.endpoint = server.rpcEndpoint
    connection.user = user
    connection.device = device
    return CKContainer(connection)
  }
}
