internal import TidingsProto

/// The metrics of a server at a moment, by name.
struct TopSample {
  /// A histogram with its buckets.
  struct Histogram {
    var bounds: [Double] = []
    var counts: [UInt64] = []

    var count: UInt64 { counts.reduce(0, &+) }

    /// What came since an earlier moment; all of it, if the server has started again since.
    func since(_ earlier: Histogram?) -> Histogram {
      guard let earlier, earlier.bounds == bounds,
        zip(counts, earlier.counts).allSatisfy({ $0 >= $1 })
      else { return self }
      return Histogram(bounds: bounds, counts: zip(counts, earlier.counts).map { $0 - $1 })
    }

    static func + (a: Histogram, b: Histogram) -> Histogram {
      guard a.bounds == b.bounds else { return a.counts.isEmpty ? b : a }
      return Histogram(bounds: a.bounds, counts: zip(a.counts, b.counts).map { $0 &+ $1 })
    }

    /// A value of which so much is not larger, found within its bucket as Prometheus' `histogram_quantile` does.
    ///
    /// `nil`: there are no values.
    func quantile(_ fraction: Double) -> Double? {
      let total = count
      guard total > 0, let largest = bounds.last else { return nil }
      let rank = fraction * Double(total)
      var below: Double = 0
      for (index, count) in counts.enumerated() {
        guard below + Double(count) >= rank, count > 0 else {
          below += Double(count)
          continue
        }
        guard index < bounds.count else { return largest }
        let low = index == 0 ? 0 : bounds[index - 1]
        return low + (bounds[index] - low) * (rank - below) / Double(count)
      }
      return largest
    }
  }

  /// Calls of a method that ended with a code.
  struct CallKey: Hashable {
    let method: String
    let code: String
  }

  /// When it was taken, in seconds of the server's clock.
  let time: Double
  let nodeName: String
  let slowCalls: [TidingsV1.SlowCall]
  private(set) var values: [String: Double] = [:]
  private(set) var labelled: [String: [(label: String, value: Double)]] = [:]
  private(set) var histograms: [String: Histogram] = [:]
  private(set) var calls: [CallKey: Histogram] = [:]
  private(set) var version = ""

  init(_ response: TidingsV1.FetchMetricsResponse) {
    time = Double(response.time?.seconds ?? 0) + Double(response.time?.nanos ?? 0) / 1e9
    (nodeName, slowCalls) = (response.nodeName, response.slowCalls)
    for family in response.families {
      for metric in family.metrics { add(metric, of: family.name) }
    }
  }

  private mutating func add(_ metric: TidingsV1.Metric, of name: String) {
    func label(_ label: String) -> String {
      metric.labels.first { $0.name == label }?.value ?? ""
    }
    if let found = metric.histogram {
      let histogram = Histogram(bounds: found.bounds, counts: found.counts)
      guard name == "tidings_rpc_handling_seconds" else {
        histograms[name] = histogram
        return
      }
      let service = label("service").split(separator: ".").last ?? ""
      calls[CallKey(method: "\(service)/\(label("method"))", code: label("code"))] = histogram
    } else if name == "tidings_build_info" {
      version = label("version")
    } else if let first = metric.labels.first {
      labelled[name, default: []].append((first.value, metric.value))
    } else {
      values[name] = metric.value
    }
  }
}
