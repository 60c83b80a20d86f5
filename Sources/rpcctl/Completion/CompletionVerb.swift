internal import CommandLineTools

extension Verb {
  static let completion = Verb(
    command: Command(
      "completion",
      "Prints a script that lets a shell complete rpcctl's command lines.",
      operands: CompletionScript.allCases.map(\.rawValue).joined(separator: "|"),
      completion: .live("shells"),
      discussion: """
        Verbs, options and their choices are completed, and zones, records, subscriptions, types,
        users and contexts by asking: a server has \(LiveCandidates.timeMax) to answer, and where it
        does not nothing is proposed.

        Examples:
          rpcctl completion bash > ~/.local/share/bash-completion/completions/rpcctl
          rpcctl completion zsh > ~/.zfunc/_rpcctl
          rpcctl completion fish > ~/.config/fish/completions/rpcctl.fish
        """
    ),
    needsServer: false,
    context: .none,
    run: { invocation in
      let operands = invocation.arguments.operands
      let names = CompletionScript.allCases.map(\.rawValue)
      guard operands.count == 1, let script = CompletionScript(rawValue: operands[0]) else {
        throw UsageError(
          "which shell? One of \(names.joined(separator: ", "))"
            + (operands.first.map { didYouMean($0, among: names) } ?? "")
        )
      }
      invocation.output.write(text: script.text)
      return .success
    }
  )
}
