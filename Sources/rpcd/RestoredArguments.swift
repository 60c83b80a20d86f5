import CommandLineTools
import TidingsKeys
import TidingsPostgres
import TidingsService

/// `rpcd restored`: its command line, and what it prints when it is done.
enum RestoredArguments {
  static let word = "restored"

  private static let options = [Option](of: DatabaseArgument.file, StandardOption.help)

  static let command = Command(
    "rpcd restored",
    "rpcd restored: continue with a PostgreSQL database that was restored to an earlier time.",
    options: options,
    discussion: """
      Run it once after restoring the database (pg_basebackup, point-in-time recovery, pg_dump), before rpcd starts. \
      The store gets a new incarnation and a new secret: all change tokens and cursors expire, clients fetch again from the \
      beginning, and devices register again. Otherwise tokens from after that time would be taken for valid, and \
      clients would miss changes.
      """
  )

  /// Does it.
  static func run(_ arguments: ArraySlice<String>) throws {
    guard
      let parsed = try command.parse(arguments, prefix: ServerArguments.program.environmentPrefix)
    else { return }
    let address = try DatabaseArgument.address(parsed)
    CoreDumps.forbid()
    let outcome = try RestoredDatabase(address: address).run()
    print(
      """
      incarnation: \(outcome.incarnation) (was \(outcome.oldIncarnation))
      Change tokens and cursors of clients expire, and devices register again by themselves.
      """
    )
  }
}
