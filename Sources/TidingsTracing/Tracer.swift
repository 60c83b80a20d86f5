internal import Glibc
package import TidingsMetrics
package import TidingsRPC

/// Begins spans, and has them sent when they have ended.
package final class Tracer: Sendable {
  package let sampler: Sampler
  private let exporter: SpanExporter

  /// A tracer with a thread of its own.
  ///
  /// - Parameters:
  ///   - settings: Where spans go.
  ///   - version: That of the program.
  ///   - warn: Called on that thread with why spans could not be sent.
  package init(
    _ settings: TraceSettings,
    version: String,
    warn: @escaping @Sendable (String) -> Void
  ) {
    sampler = settings.sampler
    exporter = SpanExporter(settings, version: version, warn: warn)
  }

  /// A span below that of a caller.
  ///
  /// - Parameters:
  ///   - name: What it is; from a fixed set.
  ///   - kind: Which side of a call.
  ///   - parent: The caller's; `nil`: a trace begins here.
  ///   - start: When it began, in nanoseconds since 1970.
  /// - Returns: `nil`: it is not recorded.
  package func begin(
    _ name: String,
    _ kind: Span.Kind,
    below parent: TraceContext?,
    at start: Int64 = unixNanoseconds()
  ) -> Span? {
    let trace = parent?.traceID ?? .random()
    guard sampler.samples(trace, parent: parent) else { return nil }
    return Span(
      TraceContext(trace, .random(), isSampled: true),
      parent: parent?.spanID,
      name,
      kind,
      start: start
    )
  }

  /// A span below one of this program, which is recorded.
  package static func child(
    _ name: String,
    _ kind: Span.Kind = .internal,
    of parent: TraceContext,
    from start: Int64,
    to end: Int64
  ) -> Span {
    Span(
      TraceContext(parent.traceID, .random(), isSampled: true),
      parent: parent.spanID,
      name,
      kind,
      start: start,
      end: end
    )
  }

  /// A span has ended: it is sent soon, or dropped if too many wait.
  package func record(_ span: Span) { exporter.add(span) }

  /// Sends what waits, and ends the thread.
  package func stop(within patience: Duration = .seconds(5)) async {
    await exporter.stop(within: patience)
  }

  /// What became of spans.
  package var families: [MetricFamily] {
    let counters = exporter.counters
    return [
      .counter("tidings_spans_exported_total", "Spans that a collector took.", counters.exported),
      .counter(
        "tidings_spans_dropped_total",
        "Spans that were dropped, because too many waited or the collector did not take them.",
        counters.dropped
      ),
    ]
  }
}

/// Nanoseconds since 1970.
package func unixNanoseconds() -> Int64 {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

/// The time since 1970 of a moment of the monotonic clock, as the clocks are now.
package func unixNanoseconds(monotonic: Int64) -> Int64 {
  unixNanoseconds() - (monotonicNanoseconds() - monotonic)
}
