import CommandLineTools
import TidingsKeys
import TidingsService

/// `rpcd rotate-secret`: its command line, and what it says when it is done.
enum RotateSecretArguments {
  static let word = "rotate-secret"

  private static let data = OptionKey<String?>(
    "data",
    value: "FOLDER",
    "The folder of the data, which no server uses."
  )

  private static let options = [Option](of: data, StandardOption.help)

  static let command = Command(
    "rpcd rotate-secret",
    "rpcd rotate-secret: gives a store a new incarnation and a new secret.",
    options: options,
    discussion: """
      For a data folder that was copied, or that somebody else may have read: who has the old secret can
      open the pushes of the store and make change tokens. The server must be stopped. Afterwards tokens
      of clients expire, and devices register again.
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
    let incarnation = try SecretRotation(dataPath: data).run()
    print(
      """
      incarnation: \(incarnation)
      Change tokens and cursors of clients expire, and devices register again by themselves.
      """
    )
  }
}
