internal import TidingsMetrics
internal import TidingsZeroMQ

extension Follower: MetricSource {
  func metricFamilies(on loop: LoopContext) -> [MetricFamily] {
    loop.metricFamilies() + [.leader(false)]
  }

  /// The store is the leader's.
  var sizesWatch: StoreSizesWatch? { nil }
}
