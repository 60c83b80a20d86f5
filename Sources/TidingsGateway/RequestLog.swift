internal import TidingsHTTP
internal import TidingsLogging
internal import TidingsRPC

/// A line for each request, without its query: tokens are in it.
struct RequestLog: Sendable {
  let logger: Logger
  /// Requests are lines of the level `info`, not only of `debug`.
  let logsRequests: Bool
  let trustedProxies: Set<String>

  private static let pathCharactersMax = 200
  private static let methodCharactersMax = 16

  /// Whether somebody wants to know about a request that was answered so.
  func wants(_ status: Int) -> Bool { logger.level <= level(status) }

  /// Adds a request that was answered.
  func add(_ head: HTTPHead, _ status: Int, _ uuid: String, _ duration: Duration) {
    let level = level(status)
    let client = ClientAddress.of(head, trusting: trustedProxies)
    var values: [(String, Logger.Value)] = [
      ("requestId", .string(uuid)), ("client", .string(client.isEmpty ? "-" : client)),
      ("method", .string(String(head.method.prefix(Self.methodCharactersMax)))),
      ("path", .string(Self.shown(head.path))), ("status", .integer(status)),
      ("durationMilliseconds", .double((duration / .microseconds(1)).rounded() / 1e3)),
    ]
    if let trace = RequestTrace.current { values.append(("traceId", .string(trace.traceID.text))) }
    logger.log(level, "request", values: values)
  }

  /// Requests that failed for reasons of the gateway or the server need attention.
  private func level(_ status: Int) -> Logger.Level {
    guard logsRequests else { return .debug }
    return status >= 500 ? .warning : .info
  }

  /// Sealed URLs are secrets.
  private static func shown(_ path: String) -> String {
    let parts = path.prefix(pathCharactersMax).split(separator: "/")
    guard let first = parts.first, first == "assets" || first == "courier" else {
      return String(path.prefix(pathCharactersMax))
    }
    return "/\(first)/…"
  }
}
