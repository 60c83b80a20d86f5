internal import TidingsMetrics
internal import TidingsRPC
internal import TidingsZeroMQ

extension LoopContext {
  /// The metrics of a loop, whether it leads or follows.
  ///
  /// - Parameter others: The depths of queues that are not the loop's own.
  /// - Returns: A copy of them.
  func metricFamilies(queues others: [Metric] = []) -> [MetricFamily] {
    let queues = queues
    return callFamilies + connectionFamilies(queues) + [
      MetricFamily(
        "tidings_queue_depth",
        .gauge,
        "How much waits, by queue.",
        Self.metrics(of: queues) + others
      )
    ]
  }

  private var callFamilies: [MetricFamily] {
    let series = callMetrics.series.map { series in
      (labels: Self.labels(of: series), durations: callMetrics.durations(of: series))
    }
    return [
      MetricFamily(
        "tidings_rpc_handled_total",
        .counter,
        "Calls that were answered, by service, method and gRPC status code.",
        series.map { Metric($0.labels, .number(Double($0.durations.count))) }
      ),
      MetricFamily(
        "tidings_rpc_handling_seconds",
        .histogram,
        "Time from the receipt of a call to its answer, which follows the commit.",
        series.map { Metric($0.labels, .histogram($0.durations)) }
      ),
      .counter("tidings_rpc_calls_total", "Requests to start a call.", counters.calls),
      .counter(
        "tidings_rpc_calls_failed_total",
        "Calls answered with a status other than OK.",
        counters.callsFailed
      ),
      .counter(
        "tidings_rpc_calls_forwarded_total",
        "Calls that this node handed on to the node that leads.",
        counters.callsForwarded
      ),
      .counter(
        "tidings_rpc_requests_malformed_total",
        "Messages that could not be decoded as a request.",
        counters.requestsMalformed
      ),
      .counter(
        "tidings_turns_long_total",
        "Turns of the core loop that took more than 10 ms of processor time.",
        counters.longTurns
      ),
      .gauge(
        "tidings_turn_longest_seconds",
        "The longest turn of the core loop since the start, with waits for the disk.",
        counters.longestTurn / .seconds(1)
      ),
    ]
  }

  private func connectionFamilies(_ queues: LoopQueues) -> [MetricFamily] {
    [
      MetricFamily(
        "tidings_connections",
        .gauge,
        "Open connections, by endpoint.",
        [
          Metric("endpoint", "rpc", queues.callConnections),
          Metric("endpoint", "push", queues.pushConnections),
        ]
      ),
      .counter(
        "tidings_connections_closed_total",
        "Connections that the server closed, because they were idle or exceeded limits.",
        counters.connectionsEnded
      ),
      .counter(
        "tidings_accept_pauses_total",
        "How often accepting connections was paused, for lack of file descriptors.",
        counters.acceptPauses
      ),
      .counter("tidings_pushes_total", "Messages that were published.", counters.pushes),
      .counter(
        "tidings_pushes_dropped_total",
        "Messages that were published and not sent, because too many waited.",
        counters.pushesDropped
      ),
      .counter(
        "tidings_replies_delayed_total",
        "Answers that were delayed because the client did not read.",
        counters.repliesDelayed
      ),
      .counter(
        "tidings_replies_undeliverable_total",
        "Answers to clients that had disconnected.",
        counters.repliesUndeliverable
      ),
    ]
  }

  private static func metrics(of queues: LoopQueues) -> [Metric] {
    [
      Metric("queue", "requests", queues.requests),
      Metric("queue", "calls", queues.inlineCalls),
      Metric("queue", "tasks", queues.tasks),
      Metric("queue", "answers", queues.answers),
      Metric("queue", "forwarded", queues.forwarded),
    ]
  }

  private static func labels(of series: CallMetrics.Series) -> [Metric.Label] {
    [
      .init("service", series.method?.service ?? "unknown"),
      .init("method", series.method?.name ?? "unknown"),
      .init("code", series.code.description),
    ]
  }
}
