internal import TidingsProto
internal import TidingsRPC

/// Figures as lines of text.
struct TopPage {
  let figures: TopFigures
  /// Rows of methods and of slow calls.
  var methodsMax = Int.max
  var slowCallsMax = 8

  /// The lines, which may be longer than a terminal is wide.
  var lines: [String] { head + [""] + methods + slowCalls }

  /// The lines that fit into a terminal.
  static func lines(_ figures: TopFigures, columns: Int, rows: Int) -> [String] {
    var page = TopPage(figures: figures)
    let fixed = page.head.count + 2
    page.slowCallsMax = min(page.slowCallsMax, max(0, (rows - fixed) / 3))
    let slow = page.slowCalls.count
    page.methodsMax = max(1, rows - fixed - slow)
    return page.lines.prefix(rows).map { String($0.prefix(columns)) }
  }

  private var head: [String] {
    let node = figures.now.nodeName.isEmpty ? "" : ", node \(figures.now.nodeName)"
    let calls = figures.methods.reduce(0) { $0 + $1.perSecond }
    let failed = figures.methods.reduce(0) { $0 + $1.failedPerSecond }
    let memory = figures.gauge("process_resident_memory_bytes").map { Self.bytes($0) } ?? "-"
    let processor = Self.number(figures.rate("process_cpu_seconds_total") * 100)
    let connections = Self.list(figures.labelled("tidings_connections"))
    let queues = Self.list(figures.labelled("tidings_queue_depth").filter { $0.value > 0 })
    var lines = [
      "rpcd \(figures.now.version)\(node), up \(Self.time(figures.uptime)), processor \(processor) %, memory \(memory)",
      "calls \(Self.number(calls))/s, failed \(Self.number(failed))/s, connections: \(connections)",
      "pushes \(Self.number(figures.rate("tidings_pushes_total")))/s, delay "
        + Self.quantiles(figures.recent("tidings_push_delay_seconds"))
        + ", events \(Self.number(figures.rate("tidings_events_total")))/s",
      store,
      "queues: \(queues.isEmpty ? "empty" : queues)",
    ]
    if figures.gauge("tidings_leader") == 0 { lines[3] = "the store is the leader's" }
    return lines
  }

  private var store: String {
    let commits = figures.recent("tidings_commit_seconds")
    var text =
      "commits \(Self.number(figures.rate("tidings_commits_total")))/s, " + Self.quantiles(commits)
    let syncs = figures.recent("tidings_fsync_seconds")
    if syncs.count > 0 { text += ", fsync " + Self.quantiles(syncs) }
    if let log = figures.gauge("tidings_log_bytes") { text += ", log \(Self.bytes(log))" }
    if let size = figures.gauge("tidings_database_bytes") {
      text += ", database \(Self.bytes(size))"
    }
    return text
  }

  private var methods: [String] {
    var table = Table(["METHOD", "CALLS/S", "FAILED/S", "P50 MS", "P99 MS", "TOTAL"])
    for row in figures.methods.prefix(methodsMax) {
      table.append([
        row.method, Self.number(row.perSecond), Self.number(row.failedPerSecond),
        Self.milliseconds(row.p50), Self.milliseconds(row.p99), "\(row.total)",
      ])
    }
    return table.description.split(separator: "\n").map(String.init)
  }

  private var slowCalls: [String] {
    let calls = figures.now.slowCalls.suffix(slowCallsMax).reversed()
    guard !calls.isEmpty else { return [] }
    let lines = calls.map { call in
      let seconds = (call.time?.seconds ?? 0) % 86_400
      let parts = [seconds / 3_600, seconds / 60 % 60, seconds % 60]
      let time = parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
      let code = StatusCode(rawValue: call.code).description
      let name = call.method.split(separator: ".").last ?? ""
      let duration = Self.milliseconds(Double(call.durationMicroseconds) / 1e6)
      let more = [call.plan, call.requestID].filter { !$0.isEmpty }.map { "  \($0)" }.joined()
      return "\(time)  \(duration) ms  \(name)  \(code)\(more)"
    }
    return ["", "SLOW CALLS (UTC)"] + lines
  }

  // MARK: Words

  static func number(_ value: Double) -> String {
    if value >= 100 || value == value.rounded() { return "\(Int(value.rounded()))" }
    return "\((value * 10).rounded() / 10)"
  }

  static func milliseconds(_ seconds: Double?) -> String {
    guard let seconds else { return "-" }
    let value = seconds * 1e3
    return value >= 100 ? "\(Int(value.rounded()))" : "\((value * 100).rounded() / 100)"
  }

  private static func quantiles(_ histogram: TopSample.Histogram) -> String {
    "p50 \(milliseconds(histogram.quantile(0.5))) ms, p99 \(milliseconds(histogram.quantile(0.99))) ms"
  }

  private static func list(_ values: [(label: String, value: Double)]) -> String {
    values.map { "\($0.label) \(number($0.value))" }.joined(separator: ", ")
  }

  private static func bytes(_ count: Double) -> String {
    let (value, unit) =
      count >= 1_073_741_824 ? (count / 1_073_741_824, "GiB") : (count / 1_048_576, "MiB")
    return "\(number(value)) \(unit)"
  }

  private static func time(_ seconds: Double) -> String {
    let minutes = Int(seconds) / 60
    if minutes < 60 { return "\(minutes) min" }
    return minutes < 2_880 ? "\(minutes / 60) h \(minutes % 60) min" : "\(minutes / 1_440) days"
  }
}
