internal import TidingsJSON

/// Tells what an import does: errors line by line, progress on a terminal, a summary.
final class ImportReport {
  /// Most errors that are told on standard error.
  private static let reportedMax = 100

  private let output: Output
  private let source: String
  private let errors: OutputFile?
  private let start = ContinuousClock.now
  private let line: Progress
  private var reportedCount = 0

  /// Begins to count the time.
  ///
  /// - Parameters:
  ///   - output: Where everything is told.
  ///   - source: The name of the file, for messages.
  ///   - errors: Where all errors go, as JSON lines; `nil`: to standard error, as far as they fit.
  init(_ output: Output, source: String, errors: OutputFile?) {
    self.output = output
    line = Progress(output)
    self.source = source
    self.errors = errors
  }

  /// Tells why a line was not imported.
  func fail(line: Int, _ reason: ImportFailure) throws {
    if let errors {
      return try errors.write(reason.json(line: line).text() + [UInt8(ascii: "\n")])
    }
    reportedCount += 1
    if reportedCount <= Self.reportedMax {
      output.tellAlways("\(source), line \(line): \(reason.text)")
    }
    if reportedCount == Self.reportedMax + 1 {
      output.tell("\(source): further errors are not shown; --errors FILE takes all")
    }
  }

  /// Tells anything else.
  func tell(_ message: String) { output.tell("\(source): \(message)") }

  /// Shows how far it is, now and then.
  func progress(saved: Int, offset: Int, size: Int?) {
    line.update {
      let part = size.map { $0 > 0 ? ", \(offset * 100 / $0) %" : "" } ?? ""
      return "\(saved) records, \(rate(saved))/s\(part)"
    }
  }

  /// Ends the line of the progress.
  func endProgress() { line.end() }

  /// Tells what became of everything; `saved` counts what earlier runs saved too, `count` does not.
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
