import CommandLineTools
import TidingsKeys
import TidingsService

/// `rpcd accept-loss`: its command line, and what it prints when it is done.
enum AcceptLossArguments {
  static let word = "accept-loss"

  private static let data = OptionKey<String>(
    "data",
    value: "FOLDER",
    default: ServerSettings().dataPath,
    "The folder of the data."
  )

  private static let options = [Option](of: data, StandardOption.help)

  static let command = Command(
    "rpcd accept-loss",
    "rpcd accept-loss: continue with a store that lost commits, its log or its database.",
    options: options,
    discussion: """
      For a folder that rpcd refuses because something is missing, was cut or is an older copy, when the \
      right files and a backup are not to be had. Copy the folder first. The store gets a new incarnation \
      and a new secret: all change tokens and cursors expire, clients fetch again from the beginning, and \
      devices register again. A log without its database is put aside, and not removed.
      """
  )

  /// Does it.
  static func run(_ arguments: ArraySlice<String>) throws {
    guard
      let parsed = try command.parse(arguments, prefix: ServerArguments.program.environmentPrefix)
    else { return }
    CoreDumps.forbid()
    print(report(try LossAcceptance(dataPath: parsed[data]).run()), terminator: "")
  }

  private static func report(_ outcome: LossAcceptance.Outcome) -> String {
    var lines = ["lost: \(outcome.loss)"]
    if let time = outcome.lastCommit { lines.append("last acknowledged commit: \(time)") }
    if let path = outcome.logPath { lines.append("the log was put aside: \(path)") }
    lines.append("new incarnation: \(outcome.incarnation); change tokens and cursors expire")
    return lines.joined(separator: "\n") + "\n"
  }
}
