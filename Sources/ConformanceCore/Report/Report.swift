internal import TidingsJSON

/// Reports results as they arrive, and a summary.
struct Report {
  let style: ReportStyle
  let write: (String) -> Void
  private var results: [CaseResult] = []
  private var client = ""

  init(_ style: ReportStyle, write: @escaping (String) -> Void) {
    self.style = style
    self.write = write
  }

  /// Whether a case failed.
  var hasFailed: Bool { count { if case .failed = $0 { true } else { false } } > 0 }

  mutating func begin(client: String) {
    self.client = client
    if style == .table { write("client: \(Self.line(client))\n") }
  }

  mutating func add(_ result: CaseResult) {
    results.append(result)
    guard style == .table else { return }
    switch result.outcome {
    case .passed: write("passed   \(result.name)\n")
    case .failed(let why): write("FAILED   \(result.name): \(Self.line(why))\n")
    case .skipped(let why): write("skipped  \(result.name): \(Self.line(why))\n")
    }
  }

  func end() {
    switch style {
    case .table: write(summary + "\n")
    case .json: write(JSONValue.object(json).prettyDescription + "\n")
    case .junit: write(xml)
    }
  }

  private func count(_ isCounted: (CaseResult.Outcome) -> Bool) -> Int {
    results.count { isCounted($0.outcome) }
  }

  private var counts: (passed: Int, failed: Int, skipped: Int) {
    let failed = count { if case .failed = $0 { true } else { false } }
    let skipped = count { if case .skipped = $0 { true } else { false } }
    return (results.count - failed - skipped, failed, skipped)
  }

  private var summary: String {
    let counts = counts
    return "\(counts.passed) passed, \(counts.failed) failed, \(counts.skipped) skipped"
  }

  private var json: JSONObject {
    let counts = counts
    return [
      "client": .string(client),
      "passed": .integer(counts.passed),
      "failed": .integer(counts.failed),
      "skipped": .integer(counts.skipped),
      "cases": .array(
        results.map { result in
          var object: JSONObject = ["name": .string(result.name)]
          switch result.outcome {
          case .passed: object.append("outcome", .string("passed"))
          case .failed(let why):
            object.append("outcome", .string("failed"))
            object.append("message", .string(why))
          case .skipped(let why):
            object.append("outcome", .string("skipped"))
            object.append("message", .string(why))
          }
          object.append("milliseconds", .integer(result.milliseconds))
          return .object(object)
        }
      ),
    ]
  }

  private var xml: String {
    let counts = counts
    let head =
      "<testsuite name=\"tidings-conformance\" tests=\"\(results.count)\" "
      + "failures=\"\(counts.failed)\" skipped=\"\(counts.skipped)\">"
    let cases = results.map { result in
      let seconds =
        "\(result.milliseconds / 1000).\(String(result.milliseconds % 1000 + 1000).dropFirst())"
      let start =
        "  <testcase classname=\"\(Self.escaped(client))\" name=\"\(Self.escaped(result.name))\" "
        + "time=\"\(seconds)\""
      return switch result.outcome {
      case .passed: start + "/>"
      case .failed(let why): start + "><failure message=\"\(Self.escaped(why))\"/></testcase>"
      case .skipped(let why): start + "><skipped message=\"\(Self.escaped(why))\"/></testcase>"
      }
    }
    let lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", head] + cases + ["</testsuite>"]
    return lines.joined(separator: "\n") + "\n"
  }

  /// On one line, without what would move a terminal.
  private static func line(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { isPlain($0) ? $0 : " " }))
  }

  private static func escaped(_ text: String) -> String {
    line(text).replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value)
      && !(0xfffe...0xffff).contains(scalar.value)
  }
}
