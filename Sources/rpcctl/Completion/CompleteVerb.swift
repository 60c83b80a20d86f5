internal import CommandLineTools

extension Verb {
  /// Answers the scripts of `completion`: hidden, and silent on failure.
  static let complete = Verb(
    command: Command(
      "__complete",
      "Print completions for a shell.",
      operands: "-- WORD…",
      discussion: """
        Prints what the shell adds, a line with `none`, `files` or `folders`; then a line for each
        candidate, with a tab and its description.
        """
    ),
    needsServer: false,
    context: .none,
    run: { invocation in
      let completer = Completer(invocation.arguments.operands)
      let proposal = completer.proposal
      var candidates = proposal.candidates
      var shell = "none"
      switch proposal.completion {
      case .none: break
      case .files: shell = "files"
      case .folders: shell = "folders"
      case .live(let kind):
        candidates += await LiveCandidates(completer: completer, invocation: invocation)
          .names(kind).map { .init(word: $0) }
      }
      let typed = completer.typed(after: proposal.prefix)
      var text = shell + "\n"
      for candidate in candidates where candidate.word.hasPrefix(typed) {
        // None of these can be typed as one word.
        if candidate.word.isEmpty || candidate.word.contains(where: \.isNewline) { continue }
        let about = candidate.about.isEmpty ? "" : "\t\(candidate.about)"
        text += proposal.prefix + printable(candidate.word) + about + "\n"
      }
      invocation.output.write(text: text)
      return .success
    }
  )
}
