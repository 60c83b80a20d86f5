import CommandLineTools
import TidingsKeys
import TidingsService

/// `rpcd restore`: its command line, and what it says when it is done.
enum RestoreArguments {
  static let word = "restore"

  private static let data = OptionKey<String?>(
    "data",
    value: "FOLDER",
    "The folder of the data; created if it does not exist. It must not hold a store."
  )

  private static let options = [Option](of: data, StandardOption.help)

  static let command = Command(
    "rpcd restore",
    "rpcd restore: makes a data folder of a backup.",
    operands: "FILE",
    options: options,
    discussion: """
      FILE is what `rpcctl backup` wrote. It is verified as a whole before anything is written, and the
      restored database is checked. The store appears when all is on disk; an interrupted restore is
      repeated with the same command. The restored store has a new incarnation and a new secret: tokens
      of clients expire, and devices register again. The server's key pair is not in a backup: put
      server.key into the folder before or after.
      """
  )

  /// Does it.
  static func run(_ arguments: ArraySlice<String>) throws {
    guard
      let parsed = try command.parse(arguments, prefix: ServerArguments.program.environmentPrefix)
    else { return }
    guard let path = parsed.operands.first, parsed.operands.count == 1 else {
      throw UsageError("rpcd restore takes one FILE, and got \(parsed.operands.count) operands")
    }
    guard let data = parsed[data], !data.isEmpty else {
      throw UsageError("--data FOLDER is needed: the data folder to make")
    }
    CoreDumps.forbid()
    let line = ProgressLine()
    defer { line.end() }
    let outcome = try Restoration(backupPath: path, dataPath: data).run { progress in
      line.update(progress.step) { text(progress) }
    }
    line.end()
    print(report(outcome, data), terminator: "")
  }

  private static func text(_ progress: Restoration.Progress) -> String {
    guard progress.bytesTotal > 1 else { return progress.step }
    let percent = Double(progress.bytesDone) / Double(progress.bytesTotal) * 100
    return "\(progress.step) \(Int(percent))% of \(progress.bytesTotal) bytes"
  }

  private static func report(_ outcome: Restoration.Outcome, _ data: String) -> String {
    let damaged = outcome.damagedAssetCount
    return """
      restored: about \(outcome.recordCount) records and \(outcome.assetCount) assets of \
      \(outcome.created)
      incarnation: \(outcome.incarnation) (was \(outcome.oldIncarnation))
      \(damaged == 0 ? "" : "assets missing since the backup: \(damaged); rpcctl assets verify lists them\n")
      Change tokens and cursors of clients expire, and devices register again by themselves.
      Start the server, with its server.key in the folder:
        rpcd --data \(data)

      """
  }
}
