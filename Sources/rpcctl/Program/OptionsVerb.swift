internal import CommandLineTools

extension Verb {
  /// `options`: the general options, which the help of verbs omits.
  static let generalOptions = Verb(
    command: Command(
      "options",
      "Show the general options, which all verbs accept.",
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
