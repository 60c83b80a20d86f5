internal import CommandLineTools

/// How a verb takes `--dry-run`.
enum DryRunSupport: Sendable {
  /// Calls that change something are not made, or are made with their `dry_run`: most verbs.
  case byCalls
  /// The verb writes files, and leaves them alone by itself.
  case byItself
  /// It cannot tell beforehand what it would do, for this reason.
  case refused(String)
}

extension Invocation {
  /// Nothing is to be changed, only told (`--dry-run`).
  var isDryRun: Bool { arguments[.dryRun] }

  /// Tells what a verb of `--dry-run` would do here, without a server: `write 'a.key'`.
  ///
  /// - Returns: Whether it is a dry run, so that the verb leaves it at that.
  func wouldOnly(_ what: @autoclosure () -> String) -> Bool {
    if isDryRun { output.tell("would \(what()) (--dry-run)") }
    return isDryRun
  }
}
