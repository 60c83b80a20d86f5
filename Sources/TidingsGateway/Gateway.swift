internal import TidingsClient
internal import TidingsHTTP
internal import TidingsKeys

/// A gateway that runs: takes requests of CloudKit Web Services, and calls a server.
package final class Gateway: Sendable {
  private let server: HTTPServer
  private let requests: GatewayRequests
  private let client: Client

  /// The port on which it takes requests.
  package var port: UInt16 { server.port }

  private init(_ server: HTTPServer, _ requests: GatewayRequests, _ client: Client) {
    (self.server, self.requests, self.client) = (server, requests, client)
  }

  /// Starts a gateway; the server need not be there yet.
  package static func start(_ settings: GatewaySettings) async throws -> Gateway {
    var configuration = ClientConfiguration(endpoints: settings.endpoints)
    configuration.keys = settings.keys
    let client = try await Client(configuration)
    let secret = settings.keys?.pair.secretKey ?? (0..<32).map { _ in UInt8.random(in: 0...255) }
    let requests = GatewayRequests(
      settings,
      transport: client.transport,
      urls: SealedURLs(secret: secret),
      hub: EventHub(configuration)
    )
    let server = try HTTPServer(settings.http, planning: requests.plan) { request in
      await requests.answer(request)
    }
    return Gateway(server, requests, client)
  }

  /// Takes no more requests, answers those that are there, and ends.
  package func stop() async {
    await server.stop()
    await requests.hub.close()
    await client.close()
  }
}
