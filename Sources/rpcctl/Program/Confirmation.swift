internal import CommandLineTools

/// A destructive command was not confirmed.
struct Unconfirmed: Error, Hashable, Sendable, CustomStringConvertible {
  let description: String
}

/// What to do when no answer can be asked for.
enum ConfirmationPolicy: Sendable {
  /// Proceed: the command names what it deletes, and scripts use it.
  case proceeds
  /// Refuse: the command requires `--yes`.
  case refuses
}

extension Invocation {
  /// Asks on a terminal for confirmation of a destructive action.
  ///
  /// `--yes` confirms it; a dry run needs no confirmation.
  ///
  /// - Parameters:
  ///   - question: The action, without question mark: `delete zone 'a' with all its records`.
  ///   - unasked: What to do without a terminal, or with `--no-input`.
  /// - Throws: `Unconfirmed` if the answer is no.
  func confirm(_ question: String, unasked: ConfirmationPolicy = .proceeds) throws(Unconfirmed) {
    if arguments[.yes] || isDryRun { return }
    guard !arguments[.noInput], let readLine = program.readLine else {
      guard unasked == .refuses else { return }
      throw Unconfirmed(
        description: "nothing was done: this would \(question); confirm with --yes"
      )
    }
    output.ask("rpcctl: \(question)? [y/N] ")
    let answer = readLine()?.lowercased() ?? ""
    // In repl an interrupt ends the command, not the program: ignore the answer then.
    guard !Task.isCancelled, ["y", "yes"].contains(answer) else {
      throw Unconfirmed(description: "not confirmed; nothing was done")
    }
  }
}
