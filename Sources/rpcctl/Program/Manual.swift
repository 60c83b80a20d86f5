internal import CommandLineTools

/// The manual of rpcctl: a page for the program and one for each verb, from the data of help.
enum Manual {
  /// The day of the pages' text; it changes with the version.
  private static let date = "2026-11-21"

  private static let source = "\(Program.name) \(Program.version)"

  /// rpcctl(1).
  static var program: ManualPage {
    var page = ManualPage(
      .init(
        name: Program.name,
        section: 1,
        summary: "saves records, keeps subscriptions, watches notifications",
        source: source,
        date: date
      )
    )
    page.add(section: "Synopsis")
    page.add(usages: [(Program.name, "[options] VERB [operands]")])
    page.add(section: "Description")
    page.add(
      text: """
        rpcctl calls a Tidings server. A command is a noun with a verb behind it; operations have
        CloudKit's names too. Results go to standard output, as a table on a
        terminal and as JSON lines elsewhere, and messages to standard error.
        """
    )
    page.add(section: "Verbs")
    page.add(sections: Program.helpSections)
    page.add(section: "Options")
    page.add(paragraph: "Every verb takes these, before or after it.")
    page.add(options: Settings.options, prefix: Settings.environmentPrefix)
    page.add(section: "Environment")
    page.add(
      list: [
        (
          "\(Settings.environmentPrefix)_NAME",
          "The option --name, where the command line has none."
        ),
        ("NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM", "Whether there are colours: see --color."),
        ("XDG_CONFIG_HOME", "Where contexts are: tidings/contexts there, or in ~/.config."),
        ("VISUAL, EDITOR", "The editor of context edit and records edit."),
      ]
    )
    page.add(section: "Exit status")
    page.add(list: Program.exitCodes.map { ($0.code, $0.meaning) })
    page.add(seeAlso: [("rpcd", 8)])
    return page
  }

  /// The name of a verb's page: `rpcctl-records-get`.
  static func name(of command: Command) -> String {
    "\(Program.name)-\(command.name.replacing(" ", with: "-"))"
  }

  /// The page of a verb.
  static func page(of command: Command) -> ManualPage {
    let summary =
      command.summary.hasSuffix(".") ? String(command.summary.dropLast()) : command.summary
    var page = ManualPage(
      .init(
        name: name(of: command),
        section: 1,
        summary: summary,
        source: source,
        date: date
      )
    )
    page.add(section: "Synopsis")
    let operands = "[options]" + (command.operands.isEmpty ? "" : " \(command.operands)")
    page.add(
      usages: ([command.name] + command.aliases).map { ("\(Program.name) \($0)", operands) }
    )
    if !command.discussion.isEmpty {
      page.add(section: "Description")
      page.add(text: command.discussion)
    }
    if !command.options.isEmpty {
      page.add(section: "Options")
      page.add(options: command.options, prefix: nil)
    }
    page.add(seeAlso: [(Program.name, 1)])
    return page
  }
}
