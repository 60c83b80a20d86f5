import BenchCore
import Testing

@Suite struct LoadTests {
  @Test("each connection has a call in flight")
  func loads() {
    let loads = Load.all(connections: [1, 64], inFlight: [1, 64, 1024])
    #expect(loads.map(\.suffix) == [".c1.n1", ".c1.n64", ".c1.n1024", ".c64.n64", ".c64.n1024"])
    #expect(loads.prefix(3) == [.single, .many, .most])
    #expect(loads[3] == .spread)
    #expect(Load.all(connections: [64], inFlight: [1]) == [])
  }

  @Test("a rate is a number of calls or a part of the maximum")
  func rates() {
    #expect(OpenLoopRate("2000") == .perSecond(2000))
    #expect(OpenLoopRate("12.5%") == .percent(12.5))
    for text in ["", "%", "0", "-1", "101%", "fast", "nan", "inf", "1e9"] {
      #expect(OpenLoopRate(text) == nil, "\(text)")
    }
    #expect(OpenLoopRate.percent(50).callsPerSecond { 30_000 } == 15_000)
    var isMeasured = false
    let rate = OpenLoopRate.perSecond(10).callsPerSecond {
      isMeasured = true
      return 30_000
    }
    #expect(rate == 10 && !isMeasured)
  }
}
