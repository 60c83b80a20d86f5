internal import Glibc
internal import TidingsHTTP

/// Where spans go and which, as OpenTelemetry's environment variables say.
package struct TraceSettings: Sendable {
  /// Where to post them.
  package var endpoint: String
  /// Sent with each request.
  package var headers: [(name: String, value: String)] = []
  /// How long a request may take.
  package var timeout = Duration.seconds(10)
  package var serviceName: String
  /// What spans say of the program beside its name and version.
  package var resource: [(name: String, value: String)] = []
  package var sampler = Sampler.parentBased(ratio: 1)
  /// Most spans that wait; further ones are dropped, and counted.
  package var queueMax = 2_048
  /// Most spans of a request.
  package var batchMax = 512
  /// How long spans wait for others.
  package var delay = Duration.seconds(5)

  private static let variables = [
    "OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL",
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_TIMEOUT",
    "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES",
    "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG", "OTEL_BSP_SCHEDULE_DELAY",
    "OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
  ]

  /// The variables of this process.
  package static var environment: [String: String] {
    var environment: [String: String] = [:]
    for name in variables {
      if let value = getenv(name) { environment[name] = String(cString: value) }
    }
    return environment
  }

  /// Reads the variables; `nil`: no spans are recorded.
  ///
  /// - Parameters:
  ///   - environment: The environment.
  ///   - program: The name of the program.
  ///   - warn: Called with what is wrong with a variable, which is ignored then.
  package init?(
    _ environment: [String: String],
    program: String,
    warn: (String) -> Void
  ) {
    func value(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    guard value("OTEL_SDK_DISABLED")?.lowercased() != "true",
      value("OTEL_TRACES_EXPORTER") != "none"
    else { return nil }
    let base = value("OTEL_EXPORTER_OTLP_ENDPOINT").map { base in
      (base.hasSuffix("/") ? String(base.dropLast()) : base) + "/v1/traces"
    }
    guard let endpoint = value("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") ?? base else { return nil }
    guard endpoint.hasPrefix("http://") || endpoint.hasPrefix("https://") else {
      warn("spans are not sent: the endpoint of OTEL_EXPORTER_OTLP_* is not http://… or https://…")
      return nil
    }
    self.endpoint = endpoint
    serviceName = value("OTEL_SERVICE_NAME") ?? program
    let kind = "OTEL_EXPORTER_OTLP"
    let protocolName = value("\(kind)_TRACES_PROTOCOL") ?? value("\(kind)_PROTOCOL")
    if let protocolName, protocolName != "http/protobuf" {
      warn(
        "spans are sent as http/protobuf: OTEL_EXPORTER_OTLP_PROTOCOL '\(protocolName)' is not known"
      )
    }
    if let text = value("\(kind)_TRACES_HEADERS") ?? value("\(kind)_HEADERS") {
      headers = Self.pairs(text).filter { Self.isHeader($0.name, $0.value) }
    }
    if let text = value("OTEL_RESOURCE_ATTRIBUTES") {
      resource = Self.pairs(text)
      if value("OTEL_SERVICE_NAME") == nil,
        let name = resource.first(where: { $0.name == "service.name" })?.value
      {
        serviceName = name
      }
      resource.removeAll { $0.name == "service.name" }
    }
    func number(_ names: String..., in range: ClosedRange<Int>) -> Int? {
      for name in names {
        guard let text = value(name) else { continue }
        if let number = Int(text), range.contains(number) { return number }
        warn(
          "\(name) is ignored: it takes a number from \(range.lowerBound) to \(range.upperBound)"
        )
      }
      return nil
    }
    let day = 86_400_000
    if let time = number("\(kind)_TRACES_TIMEOUT", "\(kind)_TIMEOUT", in: 1...day) {
      timeout = .milliseconds(time)
    }
    if let time = number("OTEL_BSP_SCHEDULE_DELAY", in: 1...day) { delay = .milliseconds(time) }
    if let count = number("OTEL_BSP_MAX_QUEUE_SIZE", in: 1...65_536) { queueMax = count }
    if let count = number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", in: 1...65_536) { batchMax = count }
    batchMax = min(batchMax, queueMax)
    let argument = value("OTEL_TRACES_SAMPLER_ARG")
    if let name = value("OTEL_TRACES_SAMPLER") {
      if let known = Sampler(name: name, argument: argument) {
        sampler = known
      } else {
        warn(
          "OTEL_TRACES_SAMPLER is ignored: '\(name)' with the argument '\(argument ?? "")' is not known"
        )
      }
    }
  }

  /// `name=value,name=value`, values percent-encoded.
  private static func pairs(_ text: String) -> [(name: String, value: String)] {
    text.split(separator: ",").prefix(64).compactMap { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let name = decoded(parts[0]), let value = decoded(parts[1]),
        !name.isEmpty
      else { return nil }
      return (name, value)
    }
  }

  private static func decoded(_ text: Substring) -> String? {
    let text = text.drop { $0 == " " }
    let end = text.lastIndex { $0 != " " }.map { text.index(after: $0) }
    return PercentCoding.decode(text[..<(end ?? text.startIndex)])
  }

  /// Nothing in it ends the line of a header.
  private static func isHeader(_ name: String, _ value: String) -> Bool {
    name.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ":") }
      && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}
