internal import BenchStatistics
internal import TidingsJSON

/// The results of a run.
struct BenchReport {
  static let columns = [
    "MODE", "SECONDS", "CALLS", "ERRORS", "PER SECOND", "ITEMS/S", "P50 µs", "P90 µs", "P99 µs",
    "P99.9 µs", "MAX µs",
  ]

  let plan: BenchPlan
  let counts: BenchTally.Counts
  let elapsed: Duration

  private var seconds: Double { max(elapsed / .seconds(1), 1e-9) }

  private var measurement: Measurement? {
    Measurement(counts.latencies, elapsedNanoseconds: UInt64(seconds * 1e9))
  }

  /// The results as a row of a table.
  var row: [String] {
    let measurement = measurement
    let latencies = [
      measurement?.p50, measurement?.p90, measurement?.p99, measurement?.p999, measurement?.max,
    ]
    return [
      plan.mode.rawValue, "\(Self.rounded(seconds, 10))", "\(counts.latencies.count)",
      "\(counts.failed)", Self.text(measurement?.perSecond),
      Self.text(Double(counts.items) / seconds),
    ] + latencies.map(Self.text)
  }

  /// The results as JSON.
  var json: JSONValue {
    var object: JSONObject = [
      "mode": .string(plan.mode.rawValue), "seconds": .double(Self.rounded(seconds, 1000)),
      "inFlight": .integer(plan.inFlight),
    ]
    if let rate = plan.rate { object.append("rate", .double(rate)) }
    object.append("recordBytes", .integer(plan.size))
    object.append("calls", .integer(counts.latencies.count))
    object.append("items", .integer(counts.items))
    var errors: JSONObject = [:]
    for (code, count) in counts.errors.sorted(by: { $0.key < $1.key }) {
      errors.append(code, .integer(count))
    }
    object.append("errors", .object(errors))
    if let measurement {
      object.append("perSecond", .double(Self.rounded(measurement.perSecond, 10)))
      object.append(
        "latencyMicroseconds",
        .object([
          "p50": .double(Self.rounded(measurement.p50, 10)),
          "p90": .double(Self.rounded(measurement.p90, 10)),
          "p99": .double(Self.rounded(measurement.p99, 10)),
          "p999": .double(Self.rounded(measurement.p999, 10)),
          "max": .double(Self.rounded(measurement.max, 10)),
        ])
      )
    }
    return .object(object)
  }

  /// The failed calls by code; `nil`: none.
  var errorText: String? {
    guard !counts.errors.isEmpty else { return nil }
    return counts.errors.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }
      .joined(separator: ", ")
  }

  /// One line for a run in progress.
  var progressLine: String {
    let measurement = measurement
    return "\(plan.mode.rawValue): \(counts.latencies.count) calls, "
      + "\(Self.text(measurement?.perSecond))/s, p50 \(Self.text(measurement?.p50)) µs, "
      + "p99 \(Self.text(measurement?.p99)) µs" + (errorText.map { ", \($0)" } ?? "")
  }

  private static func rounded(_ value: Double, _ parts: Double) -> Double {
    (value * parts).rounded() / parts
  }

  private static func text(_ value: Double?) -> String {
    guard let value else { return "-" }
    return value >= 100 ? "\(Int(value.rounded()))" : "\(rounded(value, 10))"
  }
}
