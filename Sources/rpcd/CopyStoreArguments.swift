import CommandLineTools
import TidingsKeys
import TidingsPostgres
import TidingsService

/// `rpcd copy-store`: its command line, and what it prints when it is done.
enum CopyStoreArguments {
  static let word = "copy-store"

  private static let data = OptionKey<String?>(
    "data",
    value: "FOLDER",
    "The data folder, which no server uses."
  )
  private static let toDatabase = OptionKey<Bool>(
    flag: "to-database",
    "Copy from the data folder to the PostgreSQL database, which must be empty."
  )
  private static let fromDatabase = OptionKey<Bool>(
    flag: "from-database",
    "Copy from the PostgreSQL database into the data folder, which must not contain a database."
  )
  private static let quiet = OptionKey<Bool>(flag: "quiet", letter: "q", "Show no progress.")

  private static let options = [Option](
    of: data,
    toDatabase,
    fromDatabase,
    DatabaseArgument.file,
    quiet,
    StandardOption.help
  )

  static let command = Command(
    "rpcd copy-store",
    "rpcd copy-store: copy a stopped store between a data folder and a PostgreSQL database.",
    options: options,
    discussion: """
      The address of the database is in \(DatabaseSetting.variable) or --database-file, as for the server. All rows are \
      copied as they are, so tokens, notifications, subscriptions and keys stay valid. The source is not changed; the copy \
      is compared with it, and is a store only when it is complete. An interrupted copy is resumed with the same command. \
      Afterwards use one of the two stores only.
      """
  )

  /// Does it.
  static func run(_ arguments: ArraySlice<String>) throws {
    guard
      let parsed = try command.parse(arguments, prefix: ServerArguments.program.environmentPrefix)
    else { return }
    guard let data = parsed[data], !data.isEmpty else {
      throw UsageError("--data FOLDER is needed: the data folder")
    }
    guard parsed[toDatabase] != parsed[fromDatabase] else {
      throw UsageError("one of --to-database and --from-database is needed")
    }
    let address = try DatabaseArgument.address(parsed)
    CoreDumps.forbid()
    let copy = StoreCopy(
      dataPath: data,
      address: address,
      direction: parsed[toDatabase] ? .toDatabase : .fromDatabase
    )
    let start = ContinuousClock.now
    let line = ProgressLine(lineInterval: .seconds(5))
    defer { line.end() }
    var rate = CopyRate()
    let outcome = try copy.run { progress in
      if !parsed[quiet] { line.update(progress.step.rawValue) { rate.text(progress) } }
    }
    line.end()
    let duration = start.duration(to: .now)
    print(report(outcome, copy, duration), terminator: "")
  }

  private static func report(
    _ outcome: StoreCopy.Outcome,
    _ copy: StoreCopy,
    _ duration: Duration
  ) -> String {
    var lines: [String] = []
    if outcome.isRestarted {
      lines.append("the interrupted copy was started again: its source was used since, or differed")
    }
    if outcome.resumedRowCount > 0 {
      lines.append("resumed: \(outcome.resumedRowCount) rows had been copied before")
    }
    let seconds = Double(Int(duration / .milliseconds(100))) / 10
    let rate = Double(outcome.rowCount - outcome.resumedRowCount) / (duration / .seconds(1))
    lines.append(
      "copied and compared: \(outcome.rowCount) rows of \(outcome.tableCount) tables, \(outcome.byteCount) bytes, "
        + "in \(seconds) s (\(Int(rate)) rows/s)"
    )
    lines.append("assets: \(outcome.assetCount)")
    if outcome.damagedAssetCount > 0, outcome.hasAssetsElsewhere {
      lines.append(
        "\(outcome.damagedAssetCount) assets are in files elsewhere: put the content of the folder of --assets into "
          + "'\(copy.dataPath)/assets'"
      )
    } else if outcome.damagedAssetCount > 0 {
      lines.append(
        "assets that were missing or damaged before: \(outcome.damagedAssetCount); rpcctl assets verify lists them"
      )
    }
    switch copy.direction {
    case .toDatabase:
      lines.append(
        "the store is in \(copy.address); do not start the one in '\(copy.dataPath)' again"
      )
    case .fromDatabase:
      lines.append(
        "the store is in '\(copy.dataPath)'; do not start the one in \(copy.address) again"
      )
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// The text of a copy's progress, with the rate since the step began.
private struct CopyRate {
  private var step: StoreCopy.Progress.Step?
  private var start = ContinuousClock.now
  private var first: Int64 = 0

  mutating func text(_ progress: StoreCopy.Progress) -> String {
    if progress.step != step { (step, start, first) = (progress.step, .now, progress.done) }
    let share = Double(progress.done) / Double(max(1, progress.total))
    let seconds = max(start.duration(to: .now) / .seconds(1), 0.001)
    let rate = Int(Double(progress.done - first) / seconds)
    return
      "\(progress.step.rawValue) \(Int(share * 100))%, \(progress.done) of \(progress.total) \(progress.unit), "
      + "\(rate) \(progress.unit)/s"
  }
}
