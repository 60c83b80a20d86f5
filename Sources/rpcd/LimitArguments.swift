import CommandLineTools
import TidingsEngine

/// What `--limit` and `--limits` say.
enum LimitArguments {
  static let option = OptionKey<[String]>(
    list: "limit",
    value: "NAME=NUMBER,…",
    "Set limits; rpcd --limits shows their names, values and ranges."
  )

  /// Sets limits from texts like `items-per-call-max=200,page-items-max=100`.
  ///
  /// The source is what messages begin with: the option, the variable, or the line of a file.
  static func apply(
    _ texts: [String],
    from source: String,
    to limits: inout Limits
  ) throws(UsageError) {
    for text in texts.lazy.flatMap({ $0.split(separator: ",") }) {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0].filter { $0 != " " }
      guard let limit = AdjustableLimit.all.first(where: { $0.name == name }) else {
        let near = nearest(to: name, among: AdjustableLimit.all.map(\.name))
        throw UsageError(
          "\(source): unknown limit '\(name)'"
            + (near.map { "; did you mean \($0)?" } ?? "; rpcd --limits shows them")
        )
      }
      let value = parts.count == 2 ? parts[1].filter { $0 != " " } : ""
      guard let number = Int(value), limit.range.contains(number) else {
        throw UsageError(
          "\(source) \(name) takes a whole number of \(limit.unit.rawValue) from "
            + "\(limit.range.lowerBound) to \(limit.range.upperBound), not '\(value)'"
        )
      }
      limit.set(&limits, to: number)
    }
  }

  /// A line for each limit.
  static func table(_ limits: Limits) -> String {
    let rows = AdjustableLimit.all.map { limit in
      (
        "\(limit.name)=\(limit.value(limits))",
        "\(limit.range.lowerBound) to \(limit.range.upperBound)",
        "\(limit.unit.rawValue) \(limit.summary)"
      )
    }
    let first = rows.map(\.0.count).max() ?? 0
    let second = rows.map(\.1.count).max() ?? 0
    return rows.map { row in
      row.0 + String(repeating: " ", count: first - row.0.count + 2)
        + row.1 + String(repeating: " ", count: second - row.1.count + 2)
        + row.2 + "\n"
    }.joined()
  }
}
