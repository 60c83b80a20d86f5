internal import CommandLineTools
internal import TidingsFiles

extension Verb {
  private static let allOption = OptionKey<String?>(
    "all",
    value: "FOLDER",
    completion: .folders,
    "Write all pages to a folder, as rpcctl.1 and rpcctl-VERB.1."
  )

  static let manual = Verb(
    command: Command(
      "man",
      "Print the manual page of the program or of a verb, as roff.",
      operands: "[VERB]",
      completion: .live("verbs"),
      options: [Option](of: allOption),
      discussion: """
        Examples:
          rpcctl man > rpcctl.1
          rpcctl man fetch-records
          rpcctl man --all man1
        """
    ),
    needsServer: false,
    context: .none,
    dryRun: .byItself,
    run: { invocation in
      let name = invocation.arguments.operands.joined(separator: " ")
      if let folder = invocation.arguments[allOption] {
        guard name.isEmpty else { throw UsageError("--all cannot be combined with a verb") }
        try writePages(to: folder, invocation)
      } else if name.isEmpty {
        invocation.output.write(text: Manual.program.text)
      } else {
        invocation.output.write(text: Manual.page(of: try named(name).command).text)
      }
      return .success
    }
  )

  private static func writePages(to folder: String, _ invocation: Invocation) throws {
    let pages =
      [(Program.name, Manual.program)]
      + shown.map { (Manual.name(of: $0.command), Manual.page(of: $0.command)) }
    if invocation.previews("write \(counted(pages.count, "page")) to '\(folder)'") { return }
    if !Folder.isThere(folder) {
      do { try Folder.make(folder) } catch { throw LocalFailure("\(error)") }
    }
    for (name, page) in pages {
      try AtomicFile.write(Array(page.text.utf8), to: "\(folder)/\(name).1")
    }
    invocation.output.log("\(counted(pages.count, "page")) in '\(folder)'")
  }
}
