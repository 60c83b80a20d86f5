import CommandLineTools
import TidingsKeys
import TidingsService

/// `rpcd init`: its command line, and what it says when it is done.
enum InitArguments {
  static let word = "init"

  private static let data = OptionKey<String>(
    "data",
    value: "FOLDER",
    default: ServerSettings().dataPath,
    "The folder of the data; made if it is not there."
  )
  private static let admin = OptionKey<String>(
    "admin",
    value: "NAME",
    default: "admin",
    "The name of the first administrator."
  )
  private static let adminKey = OptionKey<String?>(
    "admin-key",
    value: "FILE",
    "Where the administrator's key pair is written; without it NAME.key in the data folder."
  )
  private static let adminPublicKey = OptionKey<String?>(
    "admin-public-key",
    value: "KEY",
    "The public part of a pair that the administrator made elsewhere; no secret is written here."
  )

  private static let options = [Option](
    of: data,
    DatabaseArgument.file,
    admin,
    adminKey,
    adminPublicKey,
    StandardOption.help
  )

  static let command = Command(
    "rpcd init",
    "rpcd init: makes a server key and the first administrator, so that callers prove who they are.",
    options: options,
    discussion: """
      A folder that was used without keys keeps its data. What is there is never overwritten: a run that \
      was cut short can be repeated, and takes the keys that it had made.
      """
  )

  /// Does it.
  static func run(_ arguments: ArraySlice<String>) throws {
    guard
      let parsed = try command.parse(arguments, prefix: ServerArguments.program.environmentPrefix)
    else { return }
    CoreDumps.forbid()
    var initialization = Initialization(
      dataPath: parsed[data],
      administrator: parsed[admin],
      key: try key(parsed)
    )
    initialization.database = try DatabaseArgument.setting(parsed)
    let outcome = try initialization.run()
    print(report(outcome, parsed), terminator: "")
    if let warning = outcome.warning { complain("rpcd init: \(warning)\n") }
  }

  private static func key(
    _ parsed: ParsedArguments
  ) throws(UsageError) -> Initialization.AdministratorKey {
    guard let text = parsed[adminPublicKey] else { return .new(path: parsed[adminKey]) }
    guard parsed[adminKey] == nil else {
      throw UsageError("--admin-key and --admin-public-key cannot be combined")
    }
    guard let key = PublicKey(z85: text) else {
      throw UsageError("--admin-public-key takes a key of 40 characters, in quotes, not '\(text)'")
    }
    return .known(key)
  }

  private static func report(
    _ outcome: Initialization.Outcome,
    _ parsed: ParsedArguments
  ) -> String {
    let data = parsed[data]
    let keyFile = outcome.administratorKeyPath ?? "FILE"
    let held = outcome.administratorKeyPath.map { "key file \($0)" } ?? "public key as given"
    return """
      server public key: \(outcome.serverKey)
      administrator: \(parsed[admin]), \(held)

      Start the server:
        rpcd --data \(data)
      Call it:
        rpcctl --server-key \(outcome.serverKeyPath) --key-file \(keyFile) status
      Those who connect need \(outcome.serverKeyPath), which is no secret, and a key pair of their own \
      (rpcctl keys generate), whose public part an administrator authorizes. Keep the \
      administrator's key file where only you can read it, better not on this machine.

      """
  }
}
