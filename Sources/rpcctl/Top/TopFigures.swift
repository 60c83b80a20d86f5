internal import TidingsJSON
internal import TidingsProto

/// What happened on a server between two moments.
struct TopFigures {
  /// Calls of one method.
  struct MethodRow {
    let method: String
    let perSecond: Double
    let failedPerSecond: Double
    let p50: Double?
    let p99: Double?
    let total: UInt64
  }

  let now: TopSample
  /// Methods that were called, the busiest first.
  let methods: [MethodRow]
  private let before: TopSample?
  private let seconds: Double

  /// - Parameters:
  ///   - now: The later moment.
  ///   - before: The earlier one; `nil`: the start of the server.
  init(_ now: TopSample, since before: TopSample?) {
    (self.now, self.before) = (now, before)
    let start = now.values["process_start_time_seconds"] ?? now.time
    let seconds = max(0.001, now.time - (before?.time ?? start))
    self.seconds = seconds
    let byMethod = Dictionary(grouping: now.calls, by: { $0.key.method })
    methods = byMethod.map { method, calls in
      var (all, failed, total) = (TopSample.Histogram(), UInt64(0), UInt64(0))
      for (key, histogram) in calls {
        let recent = histogram.since(before?.calls[key])
        all = all + recent
        total += histogram.count
        if key.code != "OK" { failed += recent.count }
      }
      return MethodRow(
        method: method,
        perSecond: Double(all.count) / seconds,
        failedPerSecond: Double(failed) / seconds,
        p50: all.quantile(0.5),
        p99: all.quantile(0.99),
        total: total
      )
    }
    .sorted { ($1.perSecond, $1.total, $0.method) < ($0.perSecond, $0.total, $1.method) }
  }

  /// How much a counter rose in a second.
  func rate(_ name: String) -> Double {
    let (now, before) = (now.values[name] ?? 0, before?.values[name] ?? 0)
    return max(0, now >= before ? now - before : now) / seconds
  }

  /// Values that came, by size.
  func recent(_ name: String) -> TopSample.Histogram {
    (now.histograms[name] ?? .init()).since(before?.histograms[name])
  }

  /// Values with a label.
  func labelled(_ name: String) -> [(label: String, value: Double)] { now.labelled[name] ?? [] }

  func gauge(_ name: String) -> Double? { now.values[name] }

  /// How long the server has run, in seconds.
  var uptime: Double { now.time - (gauge("process_start_time_seconds") ?? now.time) }

  // MARK: As JSON

  var json: JSONValue {
    func milliseconds(_ seconds: Double?) -> JSONValue {
      seconds.map { .double(($0 * 1e6).rounded() / 1e3) } ?? .null
    }
    func number(_ value: Double) -> JSONValue { .double((value * 1e3).rounded() / 1e3) }
    func delay(_ name: String) -> JSONValue {
      let histogram = recent(name)
      return .object([
        "perSecond": number(Double(histogram.count) / seconds),
        "p50Milliseconds": milliseconds(histogram.quantile(0.5)),
        "p99Milliseconds": milliseconds(histogram.quantile(0.99)),
      ])
    }
    func object(_ name: String) -> JSONValue {
      var object: JSONObject = [:]
      for (label, value) in labelled(name) { object.append(label, .integer(Int(value))) }
      return .object(object)
    }
    let rows = methods.map { row in
      JSONValue.object([
        "method": .string(row.method), "perSecond": number(row.perSecond),
        "failedPerSecond": number(row.failedPerSecond), "p50Milliseconds": milliseconds(row.p50),
        "p99Milliseconds": milliseconds(row.p99), "total": .integer(row.total),
      ])
    }
    return .object([
      "version": .string(now.version), "nodeName": .string(now.nodeName),
      "intervalSeconds": number(seconds),
      "callsPerSecond": number(methods.reduce(0) { $0 + $1.perSecond }),
      "pushesPerSecond": number(rate("tidings_pushes_total")),
      "commit": delay("tidings_commit_seconds"), "fsync": delay("tidings_fsync_seconds"),
      "push": delay("tidings_push_delay_seconds"), "connections": object("tidings_connections"),
      "queues": object("tidings_queue_depth"), "methods": .array(rows),
      "slowCalls": .array(now.slowCalls.map(\.json)),
    ])
  }
}

extension TidingsV1.SlowCall {
  fileprivate var json: JSONValue {
    .object([
      "time": time.map { .timestamp($0) } ?? .null, "method": .string(method),
      "code": .integer(code),
      "durationMilliseconds": .double(Double(durationMicroseconds) / 1e3),
      "requestId": .string(requestID), "plan": .string(plan),
    ])
  }
}
