internal import CommandLineTools

extension Verb {
  /// `options`: the general options, which the help of verbs leaves out.
  static let generalOptions = Verb(
    command: Command(
      "options",
      "Shows the general options, which every verb takes.",
      discussion: """
        Example:
          rpcctl options
        """
    ),
    needsServer: false,
    context: .none,
    run: { invocation in
      try invocation.refuseOperands()
      invocation.output.write(
        text: Help(
          program: Program.name,
          options: Settings.options,
          prefix: Settings.environmentPrefix
        ).description
      )
      return .success
    }
  )
}
