internal import FoundationEssentials
internal import Glibc

/// A chart of lines over two logarithmic axes, as an SVG document.
///
/// Readable on a light and on a dark page; lines differ in their dashes and markers too, not in color alone.
public struct LineChart: Hashable, Sendable {
  /// A line.
  public struct Line: Hashable, Sendable {
    /// What it shows, in the legend.
    public var name: String
    /// Its points, x rising, both positive.
    public var points: [Point]

    /// A line from its points.
    public init(name: String, points: [Point]) { (self.name, self.points) = (name, points) }
  }

  /// A point, in the units of the axes.
  public struct Point: Hashable, Sendable {
    /// Across.
    public var x: Double
    /// Up.
    public var y: Double

    /// A point from its numbers.
    public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
  }

  /// The heading, and what a screen reader says first.
  public var title: String
  /// What the chart shows, for those who cannot see it.
  public var description: String
  /// The label of the axis across.
  public var xLabel: String
  /// The label of the axis up.
  public var yLabel: String
  /// The lines.
  public var lines: [Line]

  /// A chart from its parts.
  public init(title: String, description: String, xLabel: String, yLabel: String, lines: [Line]) {
    (self.title, self.description) = (title, description)
    (self.xLabel, self.yLabel, self.lines) = (xLabel, yLabel, lines)
  }

  private static let width = 720.0
  private static let legendRowHeight = 20.0
  private static let plot = (left: 88.0, top: 44.0, width: 602.0, height: 300.0)
  private static let colors = [
    "#3b82c4", "#d9730d", "#2f9e6b", "#c2418f", "#8a6fd1", "#a38a1c", "#1f9fb0", "#c0392b",
  ]
  private static let dashes = ["none", "8 4", "2 4", "10 4 2 4"]
  /// Names in the legend beside each other.
  private static let legendColumns = 2

  /// The document, ending in a line break.
  public var svg: String {
    let rows = (lines.count + Self.legendColumns - 1) / Self.legendColumns
    let height = Self.plot.top + Self.plot.height + 66 + Double(rows) * Self.legendRowHeight
    let scales = (x: DecadeScale(xs), y: DecadeScale(ys))
    var parts = [
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(Self.width)) \(Int(height))" \
      role="img" aria-labelledby="title description">
      <title id="title">\(Self.escaped(title))</title>
      <desc id="description">\(Self.escaped(description))</desc>
      <style>
      text { font: 13px sans-serif; fill: #57606a; }
      .title { font-size: 16px; font-weight: bold; }
      .grid { stroke: #8b949e; stroke-opacity: 0.35; }
      .line { fill: none; stroke-width: 2; }
      @media (prefers-color-scheme: dark) { text { fill: #b1bac4; } }
      </style>
      """,
      Self.text(title, Self.plot.left, 24, #" class="title""#),
    ]
    parts += grid(scales.x, scales.y)
    parts += lines.enumerated().map { index, line in
      drawing(of: line, index, scales.x, scales.y)
    }
    parts += lines.enumerated().flatMap { index, line in legend(line, index) }
    return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  private var xs: [Double] { lines.flatMap { $0.points.map(\.x) } }
  private var ys: [Double] { lines.flatMap { $0.points.map(\.y) } }

  private func grid(_ x: DecadeScale, _ y: DecadeScale) -> [String] {
    let (left, top) = (Self.plot.left, Self.plot.top)
    let (right, bottom) = (left + Self.plot.width, top + Self.plot.height)
    let across = x.decades.flatMap { decade in
      let at = left + x.position(decade.value) * Self.plot.width
      return [
        Self.rule(at, top, at, bottom),
        Self.text(decade.label, at, bottom + 20, #" text-anchor="middle""#),
      ]
    }
    let up = y.decades.flatMap { decade in
      let at = bottom - y.position(decade.value) * Self.plot.height
      return [
        Self.rule(left, at, right, at),
        Self.text(decade.label, left - 8, at + 4, #" text-anchor="end""#),
      ]
    }
    let middle = top + Self.plot.height / 2
    return across + up + [
      Self.text(xLabel, (left + right) / 2, bottom + 42, #" text-anchor="middle""#),
      Self.text(
        yLabel,
        16,
        middle,
        #" text-anchor="middle" transform="rotate(-90 16 \#(Self.number(middle)))""#
      ),
    ]
  }

  private func drawing(
    of line: Line,
    _ index: Int,
    _ x: DecadeScale,
    _ y: DecadeScale
  ) -> String {
    let points = line.points.map { point in
      (
        x: Self.number(Self.plot.left + x.position(point.x) * Self.plot.width),
        y: Self.number(Self.plot.top + (1 - y.position(point.y)) * Self.plot.height)
      )
    }
    let path = points.map { "\($0.x),\($0.y)" }.joined(separator: " ")
    let dots = points.map { #"<circle cx="\#($0.x)" cy="\#($0.y)" r="3"/>"# }.joined()
    return """
      <g \(Self.style(index))><polyline class="line" points="\(path)"/>\
      <g fill="\(Self.color(index))" stroke="none">\(dots)</g></g>
      """
  }

  private func legend(_ line: Line, _ index: Int) -> [String] {
    let (row, column) = index.quotientAndRemainder(dividingBy: Self.legendColumns)
    let left = Self.plot.left + Double(column) * Self.plot.width / Double(Self.legendColumns)
    let y = Self.plot.top + Self.plot.height + 66 + Double(row) * Self.legendRowHeight
    return [
      #"<g \#(Self.style(index))><path class="line" d="M\#(Self.number(left)) \#(Self.number(y - 4))h28"/></g>"#,
      Self.text(line.name, left + 36, y),
    ]
  }

  // MARK: Elements

  private static func color(_ index: Int) -> String { colors[index % colors.count] }

  private static func style(_ index: Int) -> String {
    #"stroke="\#(color(index))" stroke-dasharray="\#(dashes[index % dashes.count])""#
  }

  private static func rule(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
    #"<path class="grid" d="M\#(number(x1)) \#(number(y1))L\#(number(x2)) \#(number(y2))"/>"#
  }

  private static func text(_ text: String, _ x: Double, _ y: Double, _ more: String = "") -> String
  {
    #"<text x="\#(number(x))" y="\#(number(y))"\#(more)>\#(escaped(text))</text>"#
  }

  /// With one decimal, so that equal charts are equal documents.
  private static func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}

/// A logarithmic scale over whole decades.
private struct DecadeScale {
  private let first: Int
  private let last: Int

  init(_ values: [Double]) {
    let logs = values.filter { $0 > 0 }.map { log10($0) }
    let first = Int(((logs.min() ?? 0) + 1e-9).rounded(.down))
    self.first = first
    last = max(Int(((logs.max() ?? 1) - 1e-9).rounded(.up)), first + 1)
  }

  /// From 0 to 1.
  func position(_ value: Double) -> Double {
    (log10(max(value, .leastNormalMagnitude)) - Double(first)) / Double(last - first)
  }

  var decades: [(value: Double, label: String)] {
    (first...last).map { exponent in
      let value = pow(10, Double(exponent))
      return (value, exponent < 0 ? "\(value)" : Decimal.grouped(value))
    }
  }
}
