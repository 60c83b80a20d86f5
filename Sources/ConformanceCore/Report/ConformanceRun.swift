internal import TidingsProto

/// Runs cases against a client, and reports.
public enum ConformanceRun {
  /// After so many starts of the client that failed, one after the other, the rest is not tried.
  private static let failedStartsMax = 3

  /// The names of the cases that settings select.
  public static func names(_ settings: RunSettings) throws -> [String] {
    try ConformanceCase.all().map(\.name).filter(settings.selects)
  }

  /// Runs the cases.
  ///
  /// - Parameters:
  ///   - settings: What is run.
  ///   - style: How results are reported.
  ///   - write: Takes the output.
  /// - Returns: Whether no case failed.
  /// - Throws: `ConformanceError` when nothing is selected.
  public static func run(
    _ settings: RunSettings,
    style: ReportStyle,
    write: @escaping (String) -> Void
  ) async throws -> Bool {
    let cases = try ConformanceCase.all().filter { settings.selects($0.name) }
    guard !cases.isEmpty else {
      throw ConformanceError("no case has such a name: --list shows them")
    }
    let stage = Stage(settings)
    var report = Report(style, write: write)
    var failedStarts = 0
    var isBegun = false
    for each in cases {
      let start = ContinuousClock.now
      var outcome = CaseResult.Outcome.failed("the client cannot be started; not tried again")
      if failedStarts < failedStartsMax {
        do {
          try await stage.startClient()
          failedStarts = 0
          if !isBegun { report.begin(client: stage.description?.name ?? "") }
          isBegun = true
          outcome = await play(each, on: stage)
        } catch {
          failedStarts += 1
          outcome = .failed("the client did not start: \(error)")
        }
      }
      let time = start.duration(to: .now) / .milliseconds(1)
      report.add(.init(name: each.name, outcome: outcome, milliseconds: Int(time)))
    }
    await stage.end()
    report.end()
    return !report.hasFailed
  }

  private static func play(_ each: ConformanceCase, on stage: Stage) async -> CaseResult.Outcome {
    if let missing = each.needs.first(where: { !stage.has($0) }) {
      return .skipped("the client does not have \(missing)")
    }
    do {
      try await each.body(stage)
      return .passed
    } catch let skipped as CaseSkipped {
      return .skipped(skipped.reason)
    } catch {
      return .failed("\(error)")
    }
  }
}
