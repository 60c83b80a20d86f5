internal import CommandLineTools

/// Nobody agreed to what a verb was to destroy.
struct Unconfirmed: Error, Hashable, Sendable, CustomStringConvertible {
  let description: String
}

/// What happens without an answer where nobody can be asked.
enum ConfirmationPolicy: Sendable {
  /// The command is clear enough: it names what it destroys, and scripts have it.
  case goesOn
  /// Only `--yes` says that it is meant.
  case refuses
}

extension Invocation {
  /// Asks on a terminal whether something is to be destroyed; `--yes` is the answer, and a dry run
  /// needs none.
  ///
  /// - Parameters:
  ///   - question: What is to be done, without question mark: `delete zone 'a' with all its records`.
  ///   - unasked: What counts where nobody can be asked: no terminal, or `--no-input`.
  /// - Throws: `Unconfirmed` when the answer is no.
  func confirm(_ question: String, unasked: ConfirmationPolicy = .goesOn) throws(Unconfirmed) {
    if arguments[.yes] || isDryRun { return }
    guard !arguments[.noInput], let readLine = program.readLine else {
      guard unasked == .refuses else { return }
      throw Unconfirmed(
        description: "nothing was done: this would \(question); --yes says that it is meant"
      )
    }
    output.ask("rpcctl: \(question)? [y/N] ")
    let answer = readLine()?.lowercased() ?? ""
    // In repl an interrupt ends the command, not the program: then no answer counts.
    guard !Task.isCancelled, ["y", "yes"].contains(answer) else {
      throw Unconfirmed(description: "not confirmed; nothing was done")
    }
  }
}
