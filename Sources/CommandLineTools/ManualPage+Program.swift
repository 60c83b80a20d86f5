extension ManualPage {
  /// The word that makes a program print its page.
  public static let word = "man"

  /// The page of a program without further commands, from its help.
  ///
  /// - Parameters:
  ///   - command: The program's help.
  ///   - heading: The header and footer.
  ///   - prefix: That of the variables of its options.
  ///   - seeAlso: Other pages.
  public init(
    of command: Command,
    _ heading: Heading,
    environmentPrefix prefix: String,
    seeAlso: [(name: String, section: Int)]
  ) {
    self.init(heading)
    add(section: "Synopsis")
    add(usages: [(command.name, "[options]"), ("\(command.name) \(Self.word)", "")])
    add(section: "Description")
    add(text: command.discussion)
    add(section: "Options")
    add(options: command.options, prefix: prefix)
    add(section: "Environment")
    add(
      list: [
        (
          "\(prefix)_NAME",
          "The option --name, where the command line has none; it wins over the file of --config."
        )
      ]
    )
    add(section: "Exit status")
    add(
      list: [
        ("0", "it was asked to end, and did"), ("1", "it could not start, or could not go on"),
        ("2", "wrong usage"),
      ]
    )
    add(seeAlso: seeAlso)
  }
}
