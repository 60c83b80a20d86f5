internal import CommandLineTools
internal import Dispatch

extension Verb {
  static let repl = Verb(
    command: Command(
      "repl",
      "Run commands interactively, with completion and history.",
      discussion: """
        A line is a command without `rpcctl`, with words quoted as in a shell. Options given to repl are
        the defaults of all commands. Tab completes verbs, options and names; Ctrl-C stops a command,
        Ctrl-D or `exit` ends repl. Line editing requires libedit (Debian: libedit2).

        The history is in ~/.local/state/tidings/history. Lines that start with a space, or have a value
        to encrypt, are not kept.

        From a file or a pipe, lines are run until one fails; its exit code is that of repl.

        Examples:
          rpcctl --as ada repl
          rpcctl --as ada repl < commands.txt
        """
    ),
    needsServer: false,
    run: { invocation in
      try invocation.refuseOperands()
      let repl = Repl(invocation)
      if invocation.program.readLine == nil { return try await repl.runLines() }
      return await repl.runInteractively()
    }
  )
}

/// Runs the commands of lines.
struct Repl: Sendable {
  private static let ends: Set<String> = ["exit", "quit"]

  let invocation: Invocation
  /// The default options of all commands.
  private let options: [(name: String, words: [String])]

  init(_ invocation: Invocation) {
    self.invocation = invocation
    options = Settings.options.filter { invocation.arguments.isGiven($0) }.map { option in
      let value = invocation.arguments.text(of: option) ?? ""
      return (
        option.name,
        [option.isFlag ? option.spelling : "\(option.spelling)=\(value)"]
      )
    }
  }

  /// Runs the lines of standard input, until one fails.
  func runLines() async throws -> ExitCode {
    let text = String(decoding: try invocation.input.read(nil), as: UTF8.self)
    for line in text.split(whereSeparator: \.isNewline) {
      let words = try ShellWords.complete(String(line))
      guard let first = words.first else { continue }
      if Self.ends.contains(first) { break }
      let exitCode = await run(words)
      guard exitCode == .success else { return exitCode }
    }
    return .success
  }

  /// Runs lines from the terminal.
  func runInteractively() async -> ExitCode {
    let history = ReplHistory(invocation.program.environment)
    let editor = LineEditor(historyPath: history.prepare()) { [self] in candidates($0) }
    invocation.output.hint(
      "rpcctl \(Program.version); type help for a list of verbs, Ctrl-D to quit"
    )
    // At the prompt, an interrupt does nothing.
    Interruption.divert(to: {})
    defer { Interruption.divert(to: nil) }
    while let line = await readLine(editor) {
      let words: [String]
      do {
        words = try ShellWords.complete(line)
      } catch {
        _ = invocation.output.fail(error)
        continue
      }
      guard let first = words.first else { continue }
      if ReplHistory.keeps(line) { editor?.remember(line) }
      if Self.ends.contains(first) { break }
      let command = Task { await run(words) }
      Interruption.divert(to: { command.cancel() })
      _ = await command.value
      Interruption.divert(to: {})
    }
    return .success
  }

  private func readLine(_ editor: LineEditor?) async -> String? {
    let prompt = invocation.arguments[.context].map { "\($0)> " } ?? "rpcctl> "
    if let editor { return await editor.readLine(prompt) }
    invocation.output.ask(prompt)
    return invocation.program.readLine?()
  }

  private func run(_ words: [String]) async -> ExitCode {
    // A leading program name is ignored.
    let words = words.first == Program.name ? Array(words.dropFirst()) : words
    if words.first == "repl" {
      return invocation.output.fail(UsageError("repl is already running"))
    }
    return await invocation.program.run(arguments(words), invocation.output.using(.auto))
  }

  /// Returns the words of a line, with the default options that it does not override.
  func arguments(_ words: [String]) -> [String] {
    let given = Set(Completer(words + [""]).given.map(\.name))
    return options.filter { !given.contains($0.name) }.flatMap(\.words) + words
  }

  /// Returns completions for the end of a line; waits for names from the server.
  private func candidates(_ line: String) -> [String] {
    let completer = Completer(arguments(ShellWords(line).typed))
    let proposal = completer.proposal
    var words = proposal.candidates.map { proposal.prefix + $0.word }
    if case .live(let kind) = proposal.completion {
      let done = DispatchSemaphore(value: 0)
      let names = Box<[String]>()
      Task { [invocation] in
        let found = await LiveCandidates(completer: completer, invocation: invocation).names(kind)
        names.value = found
        done.signal()
      }
      done.wait()
      words += (names.value ?? []).map { proposal.prefix + $0 }
    }
    // Other words would require quoting.
    return words.filter { !$0.isEmpty && !$0.contains { $0.isWhitespace || "'\"\\".contains($0) } }
  }
}
