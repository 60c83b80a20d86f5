import BenchCore
import Testing

@Suite struct ReportTests {
  private let measurement = Measurement(
    latencies: [61_000, 62_000, 90_000],
    elapsedNanoseconds: 213_000,
    processor: ProcessorTime(server: 37.5, client: 4.25)
  )

  private var report: Report {
    Report(
      machine: Machine(
        processor: "Processor",
        cores: 2,
        kernel: "Linux 6",
        build: "release",
        zeroMQ: "4.3.4",
        sqlite: "3.40.1",
        date: "2026-01-02T03:04:05Z"
      ),
      settings: ["rounds": "7", "calls": "4000"],
      figures: [
        Figure(
          name: "echo.c1.n1",
          connections: 1,
          inFlight: 1,
          measured: measurement,
          baseline: measurement,
          score: Score(rounds: [1, 1.1, 1.2], unit: "× baseline p50", .atMost, target: 1.25)
        ),
        Figure(
          name: "save.group.c1",
          connections: 1,
          inFlight: 64,
          measured: measurement,
          score: Score(rounds: [8], unit: "× rate", .atLeast, target: 10)
        ),
        Figure(name: "client.echo.n1", measured: measurement),
      ],
      notes: ["A note."]
    )
  }

  @Test("the text has a line for each figure, with its verdict at the end")
  func text() {
    let lines = report.text().split(separator: "\n").map(String.init)
    #expect(lines[0].contains("Processor, 2 cores"))
    #expect(lines[1] == "calls 4000, rounds 7")
    #expect(lines[3].hasPrefix("echo.c1.n1"))
    #expect(lines[3].hasSuffix("≤ 1.25  reached"))
    #expect(lines[3].contains("62.0") && lines[3].contains("14,085"))
    #expect(lines[3].contains("37.5") && lines[3].contains("4.25"))
    #expect(lines[3].contains("1.00…1.20"))
    #expect(lines[4].hasSuffix("MISSED"))
    #expect(lines[5].hasPrefix("client.echo.n1") && lines[5].hasSuffix("-"))
    #expect(lines.last == "A note.")
  }

  @Test("numbers end where their titles do")
  func columns() throws {
    let lines = report.text().split(separator: "\n").map(String.init)
    let title = try #require(lines[2].firstRange(of: "in flight"))
    let width = lines[2].distance(from: lines[2].startIndex, to: title.upperBound)
    #expect(lines[3].prefix(width).hasSuffix(" 1"))
    #expect(lines[4].prefix(width).hasSuffix(" 64"))
    #expect(lines[5].prefix(width).hasSuffix(" -"))
  }

  @Test("a report survives being written as JSON and read")
  func json() throws {
    let text = try report.json()
    #expect(try Report(json: text) == report)
    #expect(text.contains("\"zeroMQ\" : \"4.3.4\""))
    #expect(text.hasSuffix("}\n"))
  }

  @Test(
    "numbers have as many places as matter",
    arguments: [
      (0.0042, "0.0042"), (0.05, "0.05"), (1.049, "1.05"), (9.999, "10.00"), (42.25, "42.3"),
      (123.5, "124"), (1_234_567.4, "1,234,567"), (-1.5, "-1.50"), (1000, "1,000"),
    ] as [(Double, String)]
  )
  func decimals(value: Double, text: String) { #expect(Decimal.text(value) == text) }
}
