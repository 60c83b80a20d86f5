import Testing
import TidingsProto

@testable import rpcctl

@Suite struct TopTests {
  private func sample(
    at second: Int64,
    saves: [UInt64],
    failed: [UInt64] = [0, 0, 0],
    pushes: Double = 0
  ) -> TopSample {
    func calls(_ code: String, _ counts: [UInt64]) -> TidingsV1.Metric {
      .init(
        labels: [
          .init(name: "service", value: "tidings.v1.RecordService"),
          .init(name: "method", value: "ModifyRecords"), .init(name: "code", value: code),
        ],
        histogram: .init(bounds: [0.001, 0.01], counts: counts, sum: 0)
      )
    }
    return TopSample(
      .init(
        time: .init(seconds: second),
        families: [
          .init(
            name: "tidings_rpc_handling_seconds",
            kind: .histogram,
            metrics: [calls("OK", saves), calls("INTERNAL", failed)]
          ),
          .init(name: "tidings_pushes_total", kind: .counter, metrics: [.init(value: pushes)]),
          .init(
            name: "process_start_time_seconds",
            kind: .gauge,
            metrics: [.init(value: 1_000)]
          ),
        ],
        slowCalls: [
          .init(
            time: .init(seconds: 3_723),
            method: "tidings.v1.RecordService/QueryRecords",
            durationMicroseconds: 1_200_000,
            requestID: "r1",
            plan: "scan"
          )
        ]
      )
    )
  }

  @Test("rates and latencies are those between two moments")
  func rates() throws {
    let before = sample(at: 1_100, saves: [1_000, 0, 0], pushes: 50)
    let now = sample(at: 1_110, saves: [1_050, 50, 0], failed: [0, 0, 10], pushes: 70)
    let figures = TopFigures(now, since: before)
    let row = try #require(figures.methods.first)
    #expect(row.method == "RecordService/ModifyRecords" && row.total == 1_110)
    #expect(row.perSecond == 11 && row.failedPerSecond == 1)
    #expect(figures.rate("tidings_pushes_total") == 2)
    // Half of 110 values are in the first bucket and 5 of 50 in the second; the last one has no bound.
    #expect(abs((row.p50 ?? 0) - 0.0019) < 1e-9)
    #expect(row.p99 == 0.01)
    #expect(figures.uptime == 110)
  }

  @Test("counters that begin again count from their begin")
  func restart() {
    let before = sample(at: 1_100, saves: [1_000, 0, 0], pushes: 50)
    let figures = TopFigures(sample(at: 1_110, saves: [20, 0, 0], pushes: 10), since: before)
    #expect(figures.methods.first?.perSecond == 2)
    #expect(figures.rate("tidings_pushes_total") == 1)
  }

  @Test("a page has no more lines and columns than the terminal", arguments: [1, 6, 9, 40])
  func size(rows: Int) {
    let figures = TopFigures(sample(at: 1_110, saves: [20, 0, 0]), since: nil)
    let lines = TopPage.lines(figures, columns: 30, rows: rows)
    #expect(lines.count <= rows && lines.allSatisfy { $0.count <= 30 })
    let page = TopPage(figures: figures).lines.joined(separator: "\n")
    #expect(page.contains("01:02:03  1200 ms  RecordService/QueryRecords  OK  scan  r1"))
  }
}
