internal import CommandLineTools
internal import Synchronization

extension Verb {
  private static let typeOption = OptionKey<String?>(
    "type",
    value: "TYPE",
    completion: .live("types"),
    "The type of the records saved to test pushes (default: RpcctlDoctor)."
  )
  private static let local = OptionKey<Bool>(
    flag: "local",
    "Check only the local configuration, without a server."
  )

  static let doctor = Verb(
    command: Command(
      "doctor",
      "Check contexts, keys, the server, clocks and pushes, and give advice.",
      options: [Option](of: typeOption, local),
      discussion: """
        Exits with 3 if there is a problem; warnings do not count. To test pushes, it saves records in a
        temporary zone of the private database. Two things remain: in development, the type of the
        records in the schema, and two notifications, marked read, in the user's log. A concurrent
        `watch` prints them.

        Examples:
          rpcctl doctor
          rpcctl doctor --local -o json
        """
    ),
    dryRun: .refused("it saves records to test pushes; use doctor --local, which changes nothing"),
    run: { invocation in
      try invocation.refuseOperands()
      let type = invocation.arguments[typeOption]
      let worst = WorstResult()
      let output = invocation.output
      output.beginStream()
      let report: @Sendable (Diagnosis) -> Void = { diagnosis in
        worst.take(diagnosis.result)
        if output.format == .table {
          output.write(text: diagnosis.text)
        } else {
          output.write(line: diagnosis.json)
        }
      }
      for diagnosis in LocalChecks.all(invocation) { report(diagnosis) }
      if !invocation.arguments[local] {
        // An interrupted check still deletes its zone.
        Interruption.enableCancellation()
        let checks = ServerChecks(
          invocation: invocation,
          recordType: type ?? "RpcctlDoctor",
          isTypeGiven: type != nil,
          report: report
        )
        try await checks.run()
      }
      if Task.isCancelled { throw Interrupted() }
      return worst.isProblem ? .conditionNotMet : .success
    }
  )
}

/// Records whether any check found a problem.
private final class WorstResult: Sendable {
  private let problem = Mutex(false)
  var isProblem: Bool { problem.withLock { $0 } }
  func take(_ result: Diagnosis.Result) {
    if result == .problem { problem.withLock { $0 = true } }
  }
}
