internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let format = OptionKey<String>(
    "format",
    value: "FORMAT",
    default: "prom",
    choices: ["prom", "json"],
    "The format: prom (Prometheus text format) or json (one object)."
  )

  static let serverMetrics = Verb(
    command: Command(
      "server metrics",
      "Print the server's metrics in Prometheus text format or as JSON.",
      options: [Option](of: format),
      discussion: """
        Counters start at 0 when the server starts. To scrape them, write the output to a file for
        node_exporter's textfile collector from a cron job.

        Examples:
          rpcctl server metrics > tidings.prom
          rpcctl server metrics --format json
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let start = ContinuousClock.now
      let info = try await fetchServerInfo(invocation)
      let metrics = try ServerMetrics(
        info,
        roundTrip: ContinuousClock.now - start,
        schema: try Contract.schema.get()
      )
      if invocation.arguments[format] == "json" || invocation.arguments[.output] != nil {
        invocation.output.write(metrics.json)
      } else {
        invocation.output.write(text: metrics.prometheus)
      }
      return .success
    }
  )
}

/// A metric of a server, by name.
struct ServerMetrics {
  /// One value.
  struct Metric: Hashable {
    let name: String
    let value: Double
    var labels = ""
    var isCounter = false
  }

  private(set) var list: [Metric]

  /// The metrics of a server's info; each counter of the contract is one.
  init(
    _ info: TidingsRpcV1.FetchServerInfoResponse,
    roundTrip: Duration,
    schema: Schema
  ) throws {
    list = [
      Metric(
        name: "tidings_info",
        value: 1,
        labels:
          "{version=\"\(Self.escaped(info.version))\",incarnation=\"\(Self.escaped(info.incarnation))\"}"
      ),
      Metric(
        name: "tidings_start_time_seconds",
        value: Double(info.started?.seconds ?? 0)
      ),
      Metric(
        name: "tidings_round_trip_seconds",
        value: roundTrip / .seconds(1)
      ),
    ]
    let counters = try Contract.fullJSON(info.counters ?? .init()).object
    for field in schema.messages[TidingsRpcV1.Counters.messageName]?.fields ?? [] {
      list.append(
        Metric(
          name: "tidings_\(field.name)_total",
          value: counters?[field.jsonName]?.string.flatMap(Double.init) ?? 0,
          isCounter: true
        )
      )
    }
  }

  /// Returns the metrics in Prometheus text format.
  var prometheus: String {
    list.map { metric in
      """
      # TYPE \(metric.name) \(metric.isCounter ? "counter" : "gauge")
      \(metric.name)\(metric.labels) \(Self.number(metric.value))

      """
    }.joined()
  }

  /// Returns an object with a member for each value.
  var json: JSONValue {
    var object: JSONObject = [:]
    for metric in list where metric.labels.isEmpty {
      object.append(metric.name, Self.number(metric.value))
    }
    return .object(object)
  }

  /// Formats integers without a decimal point.
  private static func number(_ value: Double) -> JSONValue {
    Int64(exactly: value).map { .integer($0) } ?? .double(value)
  }

  /// Formats a label's value: quotes, backslashes and line breaks are escaped.
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
