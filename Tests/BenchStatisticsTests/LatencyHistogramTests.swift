import BenchStatistics
import RandomSupport
import Testing

@Suite struct LatencyHistogramTests {
  @Test("percentiles are those of the sorted values, within a hundredth", arguments: 1...20)
  func model(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var histogram = LatencyHistogram()
    var values: [UInt64] = []
    for _ in 0..<Int.random(in: 1...2_000, using: &random) {
      let value = UInt64.random(
        in: 0...(1 << UInt64.random(in: 1...40, using: &random)),
        using: &random
      )
      values.append(value)
      histogram.record(value)
    }
    values.sort()
    #expect(histogram.count == values.count && histogram.max == values.last, "seed \(seed)")
    for fraction in [0, 0.1, 0.5, 0.9, 0.99, 0.999, 1] {
      let exact = values[max(1, Int((fraction * Double(values.count) - 1e-6).rounded(.up))) - 1]
      let found = histogram.percentile(fraction)
      #expect(found >= exact && found <= exact + exact / 100, "seed \(seed), \(fraction)")
    }
  }

  @Test("all numbers have a bucket, the greatest too")
  func greatest() {
    for value in [0, 1, 127, 128, 255, 256, 257, UInt64.max >> 1, UInt64.max] {
      var histogram = LatencyHistogram()
      histogram.record(value)
      #expect(histogram.percentile(0.5) == value)
    }
  }

  @Test("two histograms together are the one of all values")
  func merge() {
    var (some, others, all) = (LatencyHistogram(), LatencyHistogram(), LatencyHistogram())
    for value in 1...1_000 as ClosedRange<UInt64> {
      if value % 3 == 0 { some.record(value * 77) } else { others.record(value * 77) }
      all.record(value * 77)
    }
    some.merge(others)
    #expect(some == all)
  }

  @Test("a measurement of none is none")
  func none() throws {
    #expect(Measurement(LatencyHistogram(), elapsedNanoseconds: 1) == nil)
    var histogram = LatencyHistogram()
    for _ in 0..<10 { histogram.record(2_000) }
    let measurement = try #require(Measurement(histogram, elapsedNanoseconds: 1_000_000_000))
    #expect(measurement.calls == 10 && measurement.perSecond == 10 && measurement.max == 2)
  }
}
