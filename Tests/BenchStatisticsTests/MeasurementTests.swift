import BenchStatistics
import RandomSupport
import Testing

@Suite struct MeasurementTests {
  @Test("percentiles are those of the nearest rank, whatever the order")
  func percentiles() {
    var random = SplitMix64(seed: 7)
    let latencies = (1...1000).map { UInt64($0) * 1000 }.shuffled(using: &random)
    let measurement = Measurement(latencies: latencies, elapsedNanoseconds: 500_000_000)
    #expect(measurement.calls == 1000)
    #expect(measurement.p50 == 500)
    #expect(measurement.p90 == 900)
    #expect(measurement.p99 == 990)
    #expect(measurement.p999 == 999)
    #expect(measurement.max == 1000)
    #expect(measurement.perSecond == 2000)
  }

  @Test("of one call, all percentiles are that call")
  func single() {
    let measurement = Measurement(latencies: [1500], elapsedNanoseconds: 3000)
    #expect(measurement.p50 == 1.5)
    #expect(measurement.p999 == 1.5)
    #expect(measurement.max == 1.5)
  }

  @Test("a percentile is the least value that the fraction does not exceed", arguments: 1...40)
  func definition(count: Int) {
    let sorted = (0..<count).map { UInt64($0 * $0) }
    for percent in 0...100 {
      let value = sorted.percentile(Double(percent) / 100)
      let notAbove = sorted.filter { $0 <= value }.count
      let below = sorted.filter { $0 < value }.count
      #expect(notAbove * 100 >= percent * count)
      #expect(below * 100 < percent * count || value == sorted[0])
    }
  }

  @Test("medians are taken number by number, and calls are added")
  func medians() {
    let rounds = [10, 30, 20].map { (microseconds: UInt64) in
      Measurement(
        latencies: [microseconds * 1000, 50_000],
        elapsedNanoseconds: microseconds * 1_000_000
      )
    }
    let median = Measurement(medianOf: rounds)
    #expect(median.calls == 6)
    #expect(median.p50 == 20)
    #expect(median.max == 50)
    #expect(median.perSecond == 100)
    #expect([4.0, 1, 3, 2].median == 2.5)
    #expect([5.0].median == 5)
  }

  @Test("processor time is that of the rounds that measured it")
  func processor() {
    let times = [
      ProcessorTime(server: 30, client: 3), ProcessorTime(server: 50, client: 1),
      ProcessorTime(client: 2), nil,
    ]
    let rounds = times.map { time in
      Measurement(latencies: [1000], elapsedNanoseconds: 1000, processor: time)
    }
    #expect(Measurement(medianOf: rounds).processor == ProcessorTime(server: 40, client: 2))
    #expect(Measurement(medianOf: [rounds[3]]).processor == nil)
  }
}
