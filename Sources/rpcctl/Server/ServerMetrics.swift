internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let format = OptionKey<String>(
    "format",
    value: "FORMAT",
    default: "prom",
    choices: ["prom", "json"],
    "prom: Prometheus' text format; json: one object."
  )

  static let serverMetrics = Verb(
    command: Command(
      "server metrics",
      "Prints the server's counters, as Prometheus reads them or as JSON.",
      options: [Option](of: format),
      discussion: """
        The counters begin at 0 when the server starts. For Prometheus, let node_exporter's textfile
        collector read the output of a cron job.

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

/// What a server counts, by name.
struct ServerMetrics {
  /// One number.
  struct Metric: Hashable {
    let name: String
    let value: Double
    var labels = ""
    var isCounter = false
  }

  private(set) var list: [Metric]

  /// The metrics of a server's description; each counter of the contract is one.
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

  /// In Prometheus' text format.
  var prometheus: String {
    list.map { metric in
      """
      # TYPE \(metric.name) \(metric.isCounter ? "counter" : "gauge")
      \(metric.name)\(metric.labels) \(Self.number(metric.value))

      """
    }.joined()
  }

  /// An object with a member for each number.
  var json: JSONValue {
    var object: JSONObject = [:]
    for metric in list where metric.labels.isEmpty {
      object.append(metric.name, Self.number(metric.value))
    }
    return .object(object)
  }

  /// Whole numbers without a point.
  private static func number(_ value: Double) -> JSONValue {
    Int64(exactly: value).map { .integer($0) } ?? .double(value)
  }

  /// The value of a label: quotes, backslashes and line breaks are escaped.
  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
