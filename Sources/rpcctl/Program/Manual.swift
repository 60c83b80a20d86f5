internal import CommandLineTools

/// The manual of rpcctl: a page for the program and one for each verb, generated from the help.
enum Manual {
  /// The date of the pages; it changes with the version.
  private static let date = "2026-11-21"

  private static let source = "\(Program.name) \(Program.version)"

  /// rpcctl(1).
  static var program: ManualPage {
    var page = ManualPage(
      .init(
        name: Program.name,
        section: 1,
        summary: "command-line client of Tidings",
        source: source,
        date: date
      )
    )
    page.add(section: "Synopsis")
    page.add(usages: [(Program.name, "[options] VERB [operands]")])
    page.add(section: "Description")
    page.add(
      text: """
        rpcctl calls a Tidings server. A command is a noun followed by a verb; operations are also
        available by their CloudKit names. Results are written to standard output, as a table on a
        terminal and as JSON lines otherwise, and messages to standard error.
        """
    )
    page.add(section: "Verbs")
    page.add(sections: Program.helpSections)
    page.add(section: "Options")
    page.add(paragraph: "All verbs accept these options, before or after the verb.")
    page.add(options: Settings.options, prefix: Settings.environmentPrefix)
    page.add(section: "Environment")
    page.add(
      list: [
        (
          "\(Settings.environmentPrefix)_NAME",
          "The value of --name if the command line has none."
        ),
        ("NO_COLOR, CLICOLOR, CLICOLOR_FORCE, TERM", "Use of colours: see --color."),
        (
          "XDG_CONFIG_HOME",
          "/.config.~The folder of tidings/contexts (default: ~/.config).~/.config."
        ),
        ("VISUAL, EDITOR", "The editor of context edit and records edit."),
      ]
    )
    page.add(section: "Exit status")
    page.add(list: Program.exitCodes.map { ($0.code, $0.meaning) })
    page.add(seeAlso: [("rpcd", 8)])
    return page
  }

  /// Returns the name of a verb's page: `rpcctl-records-get`.
  static func name(of command: Command) -> String {
    "\(Program.name)-\(command.name.replacing(" ", with: "-"))"
  }

  /// Returns the page of a verb.
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
