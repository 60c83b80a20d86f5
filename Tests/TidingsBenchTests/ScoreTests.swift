import BenchCore
import Testing

@Suite struct ScoreTests {
  private func round(_ microseconds: UInt64, perSecond: UInt64 = 1) -> Measurement {
    Measurement(
      latencies: [microseconds * 1000],
      elapsedNanoseconds: 1_000_000_000 / perSecond
    )
  }

  @Test("a latency is compared within each round, and the median ratio counts")
  func latency() {
    // The second round was disturbed on both sides: its ratio is still good.
    let score = Score.latency(
      [round(12), round(120), round(30)],
      against: [round(10), round(100), round(10)],
      target: 1.25
    )
    #expect(score.value == 1.2)
    #expect(score.least == 1.2)
    #expect(score.greatest == 3)
    #expect(score.isReached == true)
  }

  @Test("a rate must be at least its target")
  func rate() {
    let score = Score.rate(
      [round(1, perSecond: 30), round(1, perSecond: 60)],
      against: [round(1, perSecond: 100), round(1, perSecond: 100)],
      target: 0.5
    )
    #expect(abs(score.value - 0.45) < 1e-6)
    #expect(score.isReached == false)
    #expect(score.satisfies(0.4))
  }

  @Test("without a target nothing is reached or missed")
  func information() {
    #expect(Score(rounds: [1], unit: "µs", .atMost).isReached == nil)
  }
}
