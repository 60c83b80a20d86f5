internal import CommandLineTools

extension Verb {
  static let help = Verb(
    command: Command(
      "help",
      "Show the help of the program or of a verb.",
      operands: "[VERB]",
      completion: .live("verbs")
    ),
    needsServer: false,
    context: .none,
    run: { invocation in
      let words = invocation.arguments.operands
      guard !words.isEmpty else {
        invocation.output.write(text: Program.help)
        return .success
      }
      let name = words.joined(separator: " ")
      guard group(name).isEmpty else {
        invocation.output.write(text: Program.help(group: name))
        return .success
      }
      let verb: Verb
      do {
        verb = try named(name)
      } catch {
        throw UsageError("\(error)\n`\(Program.name) help` lists the verbs.")
      }
      invocation.output.write(text: Program.help(verb.command))
      return .success
    }
  )
}
