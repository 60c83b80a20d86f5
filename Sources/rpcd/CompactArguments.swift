import CommandLineTools
import TidingsKeys
import TidingsService

/// `rpcd compact`: its command line, and what it prints when it is done.
enum CompactArguments {
  static let word = "compact"

  private static let data = OptionKey<String?>(
    "data",
    value: "FOLDER",
    "The folder of the data, which no server uses."
  )

  private static let options = [Option](of: data, StandardOption.help)

  static let command = Command(
    "rpcd compact",
    "rpcd compact: rewrite the database of a stopped server without its free pages.",
    options: options,
    discussion: """
      A running server gives free pages back itself, unless an earlier version created the store: then \
      compact it once. Also removes what deleted records left in free pages. Needs room for a second copy \
      of the database, and takes about a second for 100 MB; it can be interrupted at any time.
      """
  )

  /// Does it.
  static func run(_ arguments: ArraySlice<String>) throws {
    guard
      let parsed = try command.parse(arguments, prefix: ServerArguments.program.environmentPrefix)
    else { return }
    guard let data = parsed[data], !data.isEmpty else {
      throw UsageError("--data FOLDER is needed: the data folder of the store")
    }
    CoreDumps.forbid()
    let outcome = try StoreCompaction(dataPath: data).run()
    print("database: \(outcome.bytesBefore) bytes before, \(outcome.bytesAfter) bytes now")
  }
}
