internal import CommandLineTools

/// How a verb implements `--dry-run`.
enum DryRunSupport: Sendable {
  /// Calls that change data are skipped, or sent with `dry_run`: most verbs.
  case byCalls
  /// The verb writes files, and skips that itself.
  case byItself
  /// The verb cannot predict its changes, for this reason.
  case refused(String)
}

extension Invocation {
  /// Whether `--dry-run` is set: changes are printed, not made.
  var isDryRun: Bool { arguments[.dryRun] }

  /// In a dry run, prints what a verb that needs no server would do: `write 'a.key'`.
  ///
  /// - Returns: Whether this is a dry run, in which case the verb returns.
  func previews(_ what: @autoclosure () -> String) -> Bool {
    if isDryRun { output.log("would \(what()) (--dry-run)") }
    return isDryRun
  }
}
