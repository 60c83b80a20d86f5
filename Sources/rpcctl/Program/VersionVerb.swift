internal import CommandLineTools
internal import TidingsJSON

extension Verb {
  static let version = Verb(
    command: Command(
      "version",
      "Print the version of rpcctl, with --verbose those of its libraries too; `status` shows the server's.",
      discussion: """
        Example:
          rpcctl version --verbose
          rpcctl version -o json
        """
    ),
    needsServer: false,
    context: .none,
    run: { invocation in
      try invocation.refuseOperands()
      let version = ProgramVersion.rpcctl
      if invocation.output.format == .table || !invocation.output.asksForData {
        invocation.output.write(text: version.text(verbose: invocation.arguments[.verbose]))
      } else {
        var libraries: JSONObject = [:]
        for library in version.libraries { libraries[library.name] = .string(library.version) }
        invocation.output.write(
          .object([
            "name": .string(version.program), "version": .string(version.version),
            "libraries": .object(libraries),
          ])
        )
      }
      return .success
    }
  )
}
