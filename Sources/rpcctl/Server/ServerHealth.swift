internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  private static let watchOption = OptionKey<Bool>(
    flag: "watch",
    "Print the state, and again whenever it changes."
  )

  static let serverHealth = Verb(
    command: Command(
      "server health",
      "Show whether the server, or one of its services, is serving.",
      operands: "[SERVICE]",
      completion: .live("services"),
      options: [Option](of: watchOption),
      discussion: """
        Exits with 0 if calls are served, with 1 if they are refused, and with 78 if the server cannot be
        reached. SERVICE is a full name, for example tidings.v1.RecordService. --watch runs until
        Ctrl-C or an explicit --timeout.

        Examples:
          rpcctl server health
          rpcctl server health --watch tidings.v1.RecordService
        """
    ),
    run: { invocation in
      let operands = invocation.arguments.operands
      guard operands.count <= 1 else { throw UsageError("unexpected operand '\(operands[1])'") }
      let service = operands.first ?? ""
      let health = TidingsRpcV1.HealthService.Client(try await invocation.connect().transport)
      guard invocation.arguments[watchOption] else {
        let status = try await health.check(
          .init(service: service),
          options: invocation.callOptions
        ).status
        print(status, service, invocation.output)
        return status == .serving ? .success : .localFailure
      }
      var options = invocation.callOptions
      // A stream runs until it is interrupted: only an explicit limit applies.
      if !invocation.arguments.isGiven(.timeout) { options.timeout = nil }
      var last = TidingsRpcV1.ServingStatus.unspecified
      for try await response in health.watch(.init(service: service), options: options) {
        last = response.status
        print(last, service, invocation.output)
      }
      return last == .serving ? .success : .localFailure
    }
  )

  private static func print(
    _ status: TidingsRpcV1.ServingStatus,
    _ service: String,
    _ output: Output
  ) {
    let text = Contract.shortName(status, "SERVING_STATUS_")
    let time = wallClock().text
    if output.format == .table {
      output.write(text: "\(time)  \(text)\n")
    } else {
      output.write(
        .object(["time": .string(time), "service": .string(service), "status": .string(text)])
      )
    }
  }
}
