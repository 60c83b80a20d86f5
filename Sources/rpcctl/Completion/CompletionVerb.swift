internal import CommandLineTools

extension Verb {
  static let completion = Verb(
    command: Command(
      "completion",
      "Print a shell completion script.",
      operands: CompletionScript.allCases.map(\.rawValue).joined(separator: "|"),
      completion: .live("shells"),
      discussion: """
        Completes verbs, options and their values. For zones, records, subscriptions, types and users it
        calls the server, which has \(LiveCandidates.timeMax) to answer.

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
          "no shell: use one of \(names.joined(separator: ", "))"
            + (operands.first.map { didYouMean($0, among: names) } ?? "")
        )
      }
      invocation.output.write(text: script.text)
      return .success
    }
  )
}
