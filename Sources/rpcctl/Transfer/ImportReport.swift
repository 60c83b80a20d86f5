internal import TidingsJSON

/// Reports an import: errors line by line, progress on a terminal, and a summary.
final class ImportReport {
  /// Most errors that are printed on standard error.
  private static let errorsShownMax = 100

  private let output: Output
  private let source: String
  private let errors: OutputFile?
  private let start = ContinuousClock.now
  private let line: Progress
  private var errorCount = 0

  /// Starts the clock.
  ///
  /// - Parameters:
  ///   - output: The output.
  ///   - source: The name of the file, for messages.
  ///   - errors: The file for all errors, as JSON lines; `nil`: standard error, up to the maximum.
  init(_ output: Output, source: String, errors: OutputFile?) {
    self.output = output
    line = Progress(output)
    self.source = source
    self.errors = errors
  }

  /// Reports why a line was not imported.
  func fail(line: Int, _ reason: ImportFailure) throws {
    if let errors {
      return try errors.write(reason.json(line: line).text() + [UInt8(ascii: "\n")])
    }
    errorCount += 1
    if errorCount <= Self.errorsShownMax { output.warn("\(source), line \(line): \(reason.text)") }
    if errorCount == Self.errorsShownMax + 1 {
      output.log("\(source): further errors are not shown; use --errors FILE to get all")
    }
  }

  /// Logs a message.
  func log(_ message: String) { output.log("\(source): \(message)") }

  /// Shows progress at intervals.
  func progress(saved: Int, offset: Int, size: Int?) {
    line.update {
      let part = size.map { $0 > 0 ? ", \(offset * 100 / $0) %" : "" } ?? ""
      return "\(saved) records, \(rate(saved))/s\(part)"
    }
  }

  /// Removes the line of the progress.
  func endProgress() { line.end() }

  /// Prints the summary; `saved` includes earlier runs, `count` does not.
  func finish(saved: Int, deleted: Int, failed: Int, count: Int) {
    let seconds = ((ContinuousClock.now - start) / .milliseconds(1)).rounded() / 1000
    line.end()
    guard output.format == .table else {
      return output.write(
        .object([
          "saved": .integer(saved), "deleted": .integer(deleted), "failed": .integer(failed),
          "seconds": .double(seconds), "recordsPerSecond": .integer(rate(count)),
        ])
      )
    }
    let deletions = deleted > 0 ? ", \(deleted) deleted" : ""
    output.write(
      text: "\(counted(saved, "record")) saved\(deletions), \(failed) failed, "
        + "in \(seconds) s (\(rate(count))/s)\n"
    )
  }

  private func rate(_ count: Int) -> Int {
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    return Int(Double(count) / max(seconds, 0.001))
  }
}
