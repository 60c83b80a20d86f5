internal import Synchronization
internal import TidingsMetrics

/// Counts the requests that a gateway answers.
final class GatewayMetrics: Sendable {
  private struct Key: Hashable, Comparable {
    let endpoint: String
    let status: Int

    static func < (a: Self, b: Self) -> Bool { (a.endpoint, a.status) < (b.endpoint, b.status) }
  }

  private struct State {
    var counts: [Key: UInt64] = [:]
    var durations: [String: Histogram] = [:]
  }

  private let state = Mutex(State())

  /// A request was answered: of a stream, its head.
  func note(_ path: RequestPath, _ status: Int, _ duration: Duration) {
    let endpoint = Self.endpoint(of: path)
    let nanoseconds = UInt64(max(0, duration / .nanoseconds(1)))
    state.withLock { state in
      state.counts[Key(endpoint: endpoint, status: status), default: 0] += 1
      state.durations[endpoint, default: Histogram(.durations)].note(nanoseconds)
    }
  }

  /// What was counted so far.
  var families: [MetricFamily] {
    let (counts, durations) = state.withLock { ($0.counts, $0.durations) }
    return [
      MetricFamily(
        "tidings_http_requests_total",
        .counter,
        "Requests that were answered, by endpoint and HTTP status.",
        counts.sorted { $0.key < $1.key }.map { key, count in
          Metric(
            [.init("endpoint", key.endpoint), .init("status", "\(key.status)")],
            .number(Double(count))
          )
        }
      ),
      MetricFamily(
        "tidings_http_seconds",
        .histogram,
        "Time from the receipt of a request to its answer; of streams, to their begin.",
        durations.sorted { $0.key < $1.key }.map { endpoint, histogram in
          Metric([.init("endpoint", endpoint)], .histogram(histogram.snapshot))
        }
      ),
    ]
  }

  /// A name from a fixed set, whatever the path is.
  static func endpoint(of path: RequestPath) -> String {
    switch path {
    case .database(_, let name): endpoints.contains(name) ? name : "unknown"
    case .deviceToken(_, let register): register ? "tokens/register" : "tokens/create"
    case .asset: "assets"
    case .courier: "courier"
    case .events: "events"
    case .signIn: "sign-in"
    case .dashboard: "dashboard"
    case .file, .dashboardFile: "files"
    case .unknown: "unknown"
    }
  }

  /// Those of CloudKit Web Services.
  private static let endpoints: Set<String> = [
    "records/query", "records/lookup", "records/modify", "records/changes", "records/resolve",
    "records/accept", "changes/zone", "changes/database", "zones/list", "zones/lookup",
    "zones/modify", "zones/changes", "subscriptions/list", "subscriptions/lookup",
    "subscriptions/modify", "users/current", "users/caller", "users/discover",
    "users/lookup/email", "users/lookup/id", "users/lookup/contacts", "assets/upload",
    "assets/rereference",
  ]
}
