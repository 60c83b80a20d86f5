package import TidingsHTTP
package import TidingsMetrics

/// Answers monitoring systems over HTTP: `/metrics`, `/livez`, `/readyz`.
package final class OperatorEndpoint: Sendable {
  /// What a program says of itself.
  package struct Source: Sendable {
    /// The metrics; asked for with each scrape.
    package var metrics: @Sendable () async -> [MetricFamily]
    /// Why the program does not work any more; `nil`: it does.
    package var failure: @Sendable () async -> String?
    /// Why the program should get no calls now; `nil`: it may.
    package var unreadiness: @Sendable () async -> String?

    package init(
      metrics: @escaping @Sendable () async -> [MetricFamily],
      failure: @escaping @Sendable () async -> String?,
      unreadiness: @escaping @Sendable () async -> String?
    ) {
      (self.metrics, self.failure, self.unreadiness) = (metrics, failure, unreadiness)
    }
  }

  private static let connectionsMax = 32
  private static let idleSeconds = 90

  private let server: HTTPServer
  /// Where it listens.
  package let address: HTTPAddress

  /// Starts listening.
  package init(_ address: HTTPAddress, _ source: Source) throws(HTTPError) {
    var configuration = HTTPConfiguration(address: address)
    configuration.connectionsMax = Self.connectionsMax
    configuration.idleSeconds = Self.idleSeconds
    configuration.threadCount = 1
    configuration.headBytesMax = 16 << 10
    configuration.bodiesBytesMax = 64 << 10
    server = try HTTPServer(
      configuration,
      planning: { _ in .memory(bytesMax: 0) },
      handler: { request in await Self.answer(request.head, source) }
    )
    self.address = HTTPAddress(host: address.host, port: server.port)
  }

  /// Takes no more requests, answers those that are there, and ends.
  package func stop() async { await server.stop() }

  private static func answer(_ head: HTTPHead, _ source: Source) async -> HTTPResponse {
    guard ["/metrics", "/livez", "/readyz"].contains(head.path) else {
      return .text(404, "there are /metrics, /livez and /readyz")
    }
    guard ["GET", "HEAD"].contains(head.method) else {
      var response = HTTPResponse.text(405, "use GET")
      response.headers.append(("Allow", "GET, HEAD"))
      return response
    }
    switch head.path {
    case "/livez": return state(await source.failure())
    case "/readyz":
      let failure = await source.failure()
      return state(failure == nil ? await source.unreadiness() : failure)
    default:
      let format = MetricsText(accepting: head.header("accept"))
      return HTTPResponse(
        200,
        headers: [("Content-Type", format.contentType), ("Cache-Control", "no-store")],
        .bytes(Array(format.encode(await source.metrics()).utf8))
      )
    }
  }

  private static func state(_ problem: String?) -> HTTPResponse {
    problem.map { .text(503, $0) } ?? .text(200, "ok")
  }
}
