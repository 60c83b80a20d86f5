internal import CommandLineTools
internal import TidingsJSON

extension Verb {
  static let version = Verb(
    command: Command(
      "version",
      "Print the version of rpcctl; `status` shows the server's.",
      discussion: """
        Example:
          rpcctl version -o json
        """
    ),
    needsServer: false,
    context: .none,
    run: { invocation in
      try invocation.refuseOperands()
      if invocation.output.format == .table || !invocation.output.asksForData {
        invocation.output.write(text: "\(Program.name) \(Program.version)\n")
      } else {
        invocation.output.write(
          .object(["name": .string(Program.name), "version": .string("\(Program.version)")])
        )
      }
      return .success
    }
  )
}
