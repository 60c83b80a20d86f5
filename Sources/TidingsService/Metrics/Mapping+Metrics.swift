internal import TidingsCodec
internal import TidingsMetrics
internal import TidingsModel
internal import TidingsProto
internal import TidingsRPC

extension TidingsV1.FetchMetricsResponse {
  /// An answer with metrics as they are now.
  init(_ families: [MetricFamily], slowCalls: [CallLog.SlowCall], node: String) {
    self.init(
      time: .init(Timestamp.now),
      families: families.map { .init($0) },
      slowCalls: slowCalls.map { .init($0) },
      nodeName: node
    )
  }
}

extension TidingsV1.MetricFamily {
  fileprivate init(_ family: MetricFamily) {
    let kind: TidingsV1.MetricKind =
      switch family.kind {
      case .counter: .counter
      case .gauge: .gauge
      case .histogram: .histogram
      }
    self.init(
      name: family.name,
      kind: kind,
      help: family.help,
      metrics: family.metrics.map { .init($0) }
    )
  }
}

extension TidingsV1.Metric {
  fileprivate init(_ metric: Metric) {
    self.init(labels: metric.labels.map { .init(name: $0.name, value: $0.value) })
    switch metric.value {
    case .number(let number): value = number
    case .histogram(let found):
      histogram = .init(bounds: found.bounds, counts: found.counts, sum: found.sum)
    }
  }
}

extension TidingsV1.SlowCall {
  fileprivate init(_ call: CallLog.SlowCall) {
    self.init(
      time: .init(call.time),
      method: call.method,
      code: call.code.rawValue,
      durationMicroseconds: call.nanoseconds / 1_000,
      requestID: call.requestID,
      plan: call.plan
    )
  }
}
