/// A page about a run: a picture and a table for each axis, and the shape of each curve.
public struct GrowthPage: Hashable, Sendable {
  /// The run.
  public var run: GrowthRun
  /// Where the pictures are, as the page names it.
  public var picturesFolder: String

  /// A page about a run.
  public init(_ run: GrowthRun, picturesFolder: String) {
    (self.run, self.picturesFolder) = (run, picturesFolder)
  }

  private var axes: [GrowthAxis] {
    GrowthAxis.allCases.filter { axis in run.curves.contains { $0.axis == axis } }
  }

  private func curves(_ axis: GrowthAxis) -> [GrowthCurve] { run.curves.filter { $0.axis == axis } }

  // MARK: Pictures

  /// The pictures, by the names of their files.
  public var pictures: [(file: String, svg: String)] {
    axes.map { axis in (Self.file(axis), chart(axis).svg) }
  }

  private static func file(_ axis: GrowthAxis) -> String { "\(axis.rawValue).svg" }

  private func chart(_ axis: GrowthAxis) -> LineChart {
    let curves = curves(axis)
    return LineChart(
      title: "Cost of an operation by the number of \(axis.rawValue)",
      description: curves.map { "\($0.operation): \($0.shape.rawValue)" }.joined(separator: "; "),
      xLabel: axis.rawValue,
      yLabel: "µs of the server's processor",
      lines: curves.map { curve in
        LineChart.Line(
          name: "\(curve.operation): \(curve.shape.rawValue)",
          points: curve.points.map { LineChart.Point(x: Double($0.size), y: $0.processor) }
        )
      }
    )
  }

  // MARK: Text

  /// The page in Markdown, ending in a line break.
  public var markdown: String {
    let machine = run.machine
    return """
      # Growth

      What an operation costs the server as the store or the load grows. `tidings-bench growth` measures it, and `tidings-bench
      report` writes this page and its pictures. Each number is processor time of the server per operation, all
      threads, user and system; p50 is the latency of one operation after the other at the largest size. The name of a curve is the slowest
      growth that fits its points: processor times that differ by less than a factor of 1.6 count as constant.

          \(run.command)

      \(machine.processor), \(machine.cores) cores, \(machine.kernel), \(machine.build) build, libzmq \(machine.zeroMQ), \
      SQLite \(machine.sqlite), \(machine.date).

      """ + axes.map(section).joined() + verdict
  }

  private func section(_ axis: GrowthAxis) -> String {
    let curves = curves(axis)
    let sizes = Set(curves.flatMap { $0.points.map(\.size) }).sorted()
    let header = ["operation"] + sizes.map { Decimal.grouped(Double($0)) } + ["p50", "growth"]
    let rows = curves.map { curve in
      let costs = sizes.map { size in
        curve.points.first { $0.size == size }.map { Decimal.text($0.processor) } ?? ""
      }
      return [curve.operation] + costs
        + [curve.points.last.map { Decimal.text($0.p50) } ?? "", curve.shape.rawValue]
    }
    let rule = ["---"] + [String](repeating: "---:", count: sizes.count + 1) + ["---"]
    let table = ([header, rule] + rows).map { "| \($0.joined(separator: " | ")) |" }
    let name = axis.rawValue
    return """

      ## \(name.prefix(1).uppercased() + name.dropFirst())

      ![Cost of each operation by the number of \(name)](\(picturesFolder)/\(Self.file(axis)))

      µs of the server's processor per operation:

      \(table.joined(separator: "\n"))

      """
  }

  /// The operations that grow faster than they may.
  private var verdict: String {
    let failures = run.curves.filter { !$0.isAcceptable }
    guard !failures.isEmpty else {
      return
        "\nNo operation grows faster than logarithmically, except those that handle all there is.\n"
    }
    let names = failures.map { "\($0.operation) (\($0.axis.rawValue): \($0.shape.rawValue))" }
    return "\nFaster than logarithmic: \(names.joined(separator: ", ")).\n"
  }
}
