internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// Verbs that change how a running server operates.
extension Verb {
  static let operationVerbs = [serverDrain, serverLogLevel, serverRetention]

  private static let stop = OptionKey<Bool>(
    flag: "stop",
    "Stop the server when the last call has completed."
  )
  private static let patience = OptionKey<Duration?>(
    time: "patience",
    "With --stop: stop after this time even if calls are running."
  )
  private static let resume = OptionKey<Bool>(flag: "resume", "Accept calls again.")
  private static let noWait = OptionKey<Bool>(
    flag: "no-wait",
    "Do not wait until the last call has completed."
  )

  private static let serverDrain = Verb(
    command: Command(
      "server drain",
      "Let running calls complete and refuse new ones, before the server is stopped or replaced.",
      options: [Option](of: stop, patience, resume, noWait),
      discussion: """
        New calls fail with UNAVAILABLE, and clients retry idempotent ones; health is NOT_SERVING.
        Connections stay open, and administrators' calls, `status` and `server health` are still served.
        Without --stop the server stays drained until --resume or its end. Exits with 0 when no call
        runs any more, and with 3 if --timeout elapses first. Requires the admin role.

        Examples:
          rpcctl server drain --timeout 1m
          rpcctl server drain --stop --patience 30s
          rpcctl server drain --resume
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let arguments = invocation.arguments
      let resumes = arguments[resume]
      if resumes, arguments[stop] {
        throw UsageError("--resume and --stop cannot be combined")
      }
      guard arguments[patience] == nil || arguments[stop] else {
        throw UsageError("--patience requires --stop")
      }
      let patience = arguments[patience].map { $0 / .milliseconds(1) } ?? 0
      let administration = try await invocation.administration()
      var state = try await administration.drain(
        .init(
          action: resumes ? .resume : .drain,
          stops: arguments[stop],
          patienceMilliseconds: UInt32(min(patience.rounded(.up), Double(UInt32.max)))
        ),
        options: invocation.callOptions
      )
      // A server that stops cannot report its final state.
      let waits = !resumes && !arguments[stop] && !arguments[noWait]
      let end = invocation.settings.timeout.map { ContinuousClock.now.advanced(by: $0) }
      while waits, state.state == .draining, end.map({ $0 > .now }) ?? true {
        try await Task.sleep(for: .milliseconds(100))
        state = try await administration.drain(.init(), options: invocation.callOptions)
      }
      invocation.output.writeState(state)
      return waits && state.state == .draining ? .conditionNotMet : .success
    }
  )

  private static let slowCalls = OptionKey<String?>(
    "slow-calls",
    value: "TIME",
    "Log calls that take longer, for example 200ms; off: none."
  )

  private static let serverLogLevel = Verb(
    command: Command(
      "server log-level",
      "Show the server's log level and its threshold of slow calls, or set them until the server stops.",
      operands: "[LEVEL]",
      options: [Option](of: slowCalls),
      discussion: """
        LEVEL is debug, info, warning or error: with debug each call is logged, with its duration and what it
        touched. `rpcd --log-level` and `--slow-call-threshold` set them at start. Of several nodes, it
        is the one that is called, `nodeName`. Requires the admin role.

        Examples:
          rpcctl server log-level
          rpcctl server log-level debug
          rpcctl server log-level --slow-calls 200ms
        """
    ),
    run: { invocation in
      let operands = invocation.arguments.operands
      guard operands.count <= 1 else {
        throw UsageError("expected one LEVEL, not \(operands.count)")
      }
      let words: [String: TidingsV1.LogLevel] = [
        "debug": .debug, "info": .info, "warning": .warning, "error": .error,
      ]
      var level = TidingsV1.LogLevel.unspecified
      if let word = operands.first {
        guard let found = words[word] else {
          throw UsageError("invalid level '\(word)': use debug, info, warning or error")
        }
        level = found
      }
      let administration = try await invocation.administration()
      let response = try await administration.setLogLevel(
        .init(level: level, slowCallMilliseconds: try slowCallMilliseconds(invocation)),
        options: invocation.callOptions
      )
      func name(_ level: TidingsV1.LogLevel) -> String {
        Contract.shortName(level, "LOG_LEVEL_").lowercased()
      }
      var object: JSONObject = ["level": .string(name(response.level))]
      object.append("slowCallMilliseconds", .integer(response.slowCallMilliseconds))
      if level != .unspecified { object.append("previous", .string(name(response.previous))) }
      if !response.nodeName.isEmpty { object.append("nodeName", .string(response.nodeName)) }
      write(object, invocation.output)
      return .success
    }
  )

  private static func slowCallMilliseconds(
    _ invocation: Invocation
  ) throws(UsageError) -> UInt32? {
    guard let text = invocation.arguments[slowCalls] else { return nil }
    if text == "off" { return 0 }
    guard let time = Duration(commandLine: text) else {
      throw UsageError("--slow-calls takes a time, for example 200ms or 1s, or off, not '\(text)'")
    }
    return UInt32(min(time / .milliseconds(1), Double(Int32.max)).rounded(.up))
  }

  private static let tombstones = OptionKey<Int?>(
    "tombstones",
    value: "DAYS",
    in: 0...Int(UInt32.max),
    "Days for which tombstones of records and zones are kept."
  )
  private static let notifications = OptionKey<Int?>(
    "notifications",
    value: "DAYS",
    in: 0...Int(UInt32.max),
    "Days for which notifications are kept."
  )
  private static let notificationsMax = OptionKey<Int?>(
    "notifications-max",
    value: "N",
    in: 0...Int.max,
    "Most notifications to keep, of all users together."
  )
  private static let reset = OptionKey<Bool>(
    flag: "reset",
    "First reset all values to those of rpcd's command line."
  )

  private static let serverRetention = Verb(
    command: Command(
      "server retention",
      "Show or set the retention of notifications and tombstones.",
      options: [Option](of: tombstones, notifications, notificationsMax, reset),
      discussion: """
        Settings take effect at once, override `rpcd --limit`, and persist across restarts; `setNames`
        lists those that are set. Older entries are deleted soon, and change tokens from before them
        expire. Requires the admin role.

        Examples:
          rpcctl server retention -o table
          rpcctl server retention --tombstones 30 --notifications 7
          rpcctl server retention --reset
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let arguments = invocation.arguments
      var request = TidingsV1.SetRetentionRequest(resets: arguments[reset])
      request.tombstoneRetentionDays =
        arguments[tombstones].map { UInt32($0) }
      request.notificationRetentionDays =
        arguments[notifications].map { UInt32($0) }
      request.notificationsMax =
        arguments[notificationsMax].map { UInt64($0) }
      if request.tombstoneRetentionDays != nil || request.notificationRetentionDays != nil
        || request.notificationsMax != nil
      {
        try invocation.confirm("change the server's retention of notifications and tombstones")
      }
      let response = try await invocation.administration().setRetention(
        request,
        options: invocation.callOptions
      )
      write(
        [
          "tombstoneRetentionDays": .integer(response.tombstoneRetentionDays),
          "notificationRetentionDays": .integer(response.notificationRetentionDays),
          "notificationsMax": .integer(response.notificationsMax),
          "setNames": .array(response.setNames.map { .string($0) }),
        ],
        invocation.output
      )
      return .success
    }
  )
}

extension Output {
  /// Prints the server's state and its open calls.
  fileprivate func writeState(_ response: TidingsV1.DrainResponse) {
    let name = Contract.shortName(response.state, "SERVER_STATE_")
    if format == .table {
      write(text: "\(name), \(counted(Int(response.callsOpen), "call")) open\n")
    } else {
      write(
        .object(["state": .string(name), "callsOpen": .integer(response.callsOpen)])
      )
    }
  }
}
