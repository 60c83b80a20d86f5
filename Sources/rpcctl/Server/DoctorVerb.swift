internal import CommandLineTools
internal import Synchronization

extension Verb {
  private static let typeOption = OptionKey<String?>(
    "type",
    value: "TYPE",
    completion: .live("types"),
    "The type of the records that it saves to try pushes; without it RpcctlDoctor."
  )
  private static let local = OptionKey<Bool>(
    flag: "local",
    "Check only what is here, without a server."
  )

  static let doctor = Verb(
    command: Command(
      "doctor",
      "Checks contexts, keys, the server, clocks and pushes, and says what to do.",
      options: [Option](of: typeOption, local),
      discussion: """
        Ends with 3 when there is a problem; warnings do not count. To see that pushes arrive, it saves
        records in a zone of its own in the private database and deletes it. What stays: in development
        the type of the records in the schema, and in the user's log two notifications, marked read. A
        `watch` that runs meanwhile sees them.

        Examples:
          rpcctl doctor
          rpcctl doctor --local -o json
        """
    ),
    dryRun: .refused("without saving records it cannot try pushes; doctor --local changes nothing"),
    run: { invocation in
      try invocation.refuseOperands()
      let type = try invocation.arguments.nonEmpty(typeOption)
      let worst = WorstResult()
      let output = invocation.output
      output.beginStream()
      let tell: @Sendable (Diagnosis) -> Void = { diagnosis in
        worst.take(diagnosis.result)
        if output.format == .table {
          output.write(text: diagnosis.text)
        } else {
          output.write(line: diagnosis.json)
        }
      }
      for diagnosis in LocalChecks.all(invocation) { tell(diagnosis) }
      if !invocation.arguments[local] {
        // The zone is to be removed.
        Interruption.heed()
        let checks = ServerChecks(
          invocation: invocation,
          recordType: type ?? "RpcctlDoctor",
          isTypeGiven: type != nil,
          tell: tell
        )
        try await checks.run()
      }
      if Task.isCancelled { throw Interrupted() }
      return worst.isProblem ? .conditionNotMet : .success
    }
  )
}

/// Remembers whether there was a problem.
private final class WorstResult: Sendable {
  private let problem = Mutex(false)
  var isProblem: Bool { problem.withLock { $0 } }
  func take(_ result: Diagnosis.Result) {
    if result == .problem { problem.withLock { $0 = true } }
  }
}
