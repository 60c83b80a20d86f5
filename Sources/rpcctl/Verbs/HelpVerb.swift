internal import CommandLineTools

extension Verb {
  static let help = Verb(
    command: Command("help", "Shows help, of a verb if one is named.", operands: "[VERB]"),
    run: { invocation in
      guard let name = invocation.arguments.operands.first else {
        invocation.output.write(text: Program.help)
        return .success
      }
      guard let verb = all.first(where: { $0.command.name == name }) else {
        let near = nearest(to: name, among: all.map(\.command.name))
        throw UsageError(
          "there is no verb '\(name)'" + (near.map { "; did you mean \($0)?" } ?? ""))
      }
      invocation.output.write(text: Program.help(verb.command).description)
      return .success
    })
}
