package import TidingsHTTP
package import TidingsKeys
package import TidingsLogging
package import TidingsTracing

/// How a gateway runs.
package struct GatewaySettings: Sendable {
  /// Where it takes HTTP.
  package var http = HTTPConfiguration(address: HTTPAddress(host: "127.0.0.1", port: 8080))
  /// The server's endpoints.
  package var endpoints = ["tcp://127.0.0.1:5570"]
  /// With which it connects; `nil`: the server is in development mode, and `dev:USER` is everybody's token.
  package var keys: ClientKeys?
  /// The beginning of URLs that are given to clients, without a `/` at the end; `nil`: the address of the request.
  package var publicURL: String?
  /// Event streams and courier polls at a time.
  package var streamsMax = 10_000
  /// Event streams and courier polls of one user.
  package var streamsPerUserMax = 100
  /// Uploads of assets at a time, each with a file of its own.
  package var uploadsMax = 64
  /// Uploads of one user, or of all guests of an API token.
  package var uploadsPerUserMax = 32
  /// For how many seconds browsers are to use HTTPS alone for this host; 0: the header is not sent.
  package var strictTransportSeconds = 0
  /// Addresses of proxies that say for whom they call.
  package var trustedProxies: Set<String> = []
  /// Where monitoring systems ask for metrics and health; `nil`: nowhere.
  package var operatorAddress: HTTPAddress?
  /// Where spans go; `nil`: nowhere.
  package var traces: TraceSettings?
  /// What reports, on standard error.
  package var logger = Logger()
  /// A line for each request, of the level `info`; without it they are lines of the level `debug`.
  package var logsRequests = false

  package init() {}

  /// Whether browsers reach it over HTTPS, its own or a proxy's.
  package var isHTTPS: Bool { publicURL?.hasPrefix("https:") ?? (http.tls != nil) }
}
