internal import TidingsClient
package import TidingsHTTP
internal import TidingsKeys
internal import TidingsLogging
internal import TidingsOperator
internal import TidingsRPC
internal import TidingsTracing

/// A gateway that runs: takes requests of CloudKit Web Services, and calls a server.
package final class Gateway: Sendable {
  private let server: HTTPServer
  private let requests: GatewayRequests
  private let client: Client
  private let operatorEndpoint: OperatorEndpoint?
  private let tracer: Tracer?

  /// Where monitoring systems ask for metrics and health, as bound; `nil`: nowhere.
  package var operatorAddress: HTTPAddress? { operatorEndpoint?.address }
  /// The port on which it takes requests.
  package var port: UInt16 { server.port }

  private init(
    _ server: HTTPServer,
    _ requests: GatewayRequests,
    _ client: Client,
    _ operatorEndpoint: OperatorEndpoint?,
    _ tracer: Tracer?
  ) {
    (self.server, self.requests, self.client) = (server, requests, client)
    (self.operatorEndpoint, self.tracer) = (operatorEndpoint, tracer)
  }

  /// Starts a gateway; the server need not be there yet.
  package static func start(_ settings: GatewaySettings) async throws -> Gateway {
    var configuration = ClientConfiguration(endpoints: settings.endpoints)
    configuration.keys = settings.keys
    // The server is near, and whoever waits for an answer over HTTP is to have one soon.
    configuration.connectTimeout = .seconds(3)
    let client = try await Client(configuration)
    let logger = settings.logger
    let tracer = settings.traces.map { traces in
      Tracer(traces, version: Version.current) { reason in
        logger.log(.warning, "spans were not sent to the collector", ["reason": reason])
      }
    }
    let secret = settings.keys?.pair.secretKey ?? (0..<32).map { _ in UInt8.random(in: 0...255) }
    let hub = EventHub(configuration)
    // Another node may publish elsewhere.
    client.whenMoved { [weak hub] in hub?.registerAgain() }
    let requests = try GatewayRequests(
      settings,
      transport: client.transport,
      urls: SealedURLs(secret: secret),
      hub: hub,
      tracer: tracer
    )
    let server = try HTTPServer(settings.http, planning: requests.plan) { request in
      await requests.answer(request)
    }
    let observation = GatewayObservation(
      metrics: requests.metrics,
      streams: requests.streams,
      uploads: requests.uploads,
      transport: client.transport,
      tracer: tracer
    )
    let operatorEndpoint = try settings.operatorAddress.map { try observation.listen($0) }
    return Gateway(server, requests, client, operatorEndpoint, tracer)
  }

  /// Takes no more requests, answers those that are there, and ends.
  package func stop() async {
    // Polls answer at once that there is nothing.
    requests.hub.endSessions()
    await server.stop()
    await operatorEndpoint?.stop()
    await requests.hub.close()
    await client.close()
    await tracer?.stop()
  }
}
