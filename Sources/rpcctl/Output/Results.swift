internal import TidingsJSON

/// The results of the items of a call.
struct Results {
  private var list: [JSONValue] = []
  private var table: Table
  private var hasFailures = false

  /// An empty list of results.
  init(columns: [String]) { table = Table(columns) }

  /// Adds the result of an item that succeeded.
  mutating func append(_ json: JSONValue, _ row: [String]) {
    list.append(json)
    table.append(row)
  }

  /// Adds the result of an item that failed.
  mutating func appendFailure(_ json: JSONValue, _ row: [String]) {
    list.append(json)
    table.append(Array(row.dropLast()), lastCell: row.last ?? "")
    hasFailures = true
  }

  /// Prints the results, and returns the exit code.
  func finish(_ output: Output) -> ExitCode {
    output.write(list) { table }
    return hasFailures ? .itemsFailed : .success
  }
}
