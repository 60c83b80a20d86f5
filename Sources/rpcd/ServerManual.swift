import CommandLineTools
import TidingsService

/// `rpcd man`: the page rpcd(8), from the data of help.
enum ServerManual {
  static var page: ManualPage {
    let version = TidingsServer.version
    var page = ManualPage(
      .init(
        name: "rpcd",
        section: 8,
        summary: "the Tidings server",
        source: "rpcd \(version)",
        date: "2026-11-21"
      )
    )
    page.add(section: "Synopsis")
    page.add(
      usages: [
        ("rpcd", "[options]"), ("rpcd init", "[options]"),
        ("rpcd restore", "FILE --data FOLDER"), ("rpcd rotate-secret", "--data FOLDER"),
        ("rpcd compact", "--data FOLDER"),
        ("rpcd copy-store", "--data FOLDER --to-database | --from-database"),
        ("rpcd restored", "[options]"),
        ("rpcd accept-loss", "[options]"),
        ("rpcd man", ""),
      ]
    )
    page.add(section: "Description")
    page.add(text: ServerArguments.program.command.discussion)
    page.add(section: "Options")
    page.add(
      options: ServerArguments.program.command.options,
      prefix: ServerArguments.program.environmentPrefix
    )
    for command in [
      InitArguments.command, RestoreArguments.command, RotateSecretArguments.command,
      CompactArguments.command, CopyStoreArguments.command, RestoredArguments.command,
      AcceptLossArguments.command,
    ] {
      page.add(section: command.name)
      page.add(text: command.discussion)
      page.add(options: command.options, prefix: nil)
    }
    page.add(section: "Environment")
    page.add(
      list: [
        (
          "\(ServerArguments.program.environmentPrefix)_NAME",
          "The option --name, where the command line has none; it wins over the file of --config."
        )
      ]
    )
    page.add(section: "Exit status")
    page.add(
      list: [
        ("0", "it was asked to end, and did"), ("1", "it could not start, or could not go on"),
        ("2", "wrong usage"),
      ]
    )
    page.add(seeAlso: [("rpcgw", 8), ("rpcdeliver", 8), ("rpcctl", 1)])
    return page
  }
}
