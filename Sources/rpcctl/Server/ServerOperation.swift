internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

/// The verbs that change how a server runs, while it runs.
extension Verb {
  static let operationVerbs = [serverDrain, serverLogLevel, serverRetention]

  private static let stop = OptionKey<Bool>(
    flag: "stop",
    "End the server when the last call has ended."
  )
  private static let patience = OptionKey<Duration?>(
    time: "patience",
    "With --stop: end it after this time in any case."
  )
  private static let resume = OptionKey<Bool>(flag: "resume", "Take calls again.")
  private static let noWait = OptionKey<Bool>(
    flag: "no-wait",
    "Do not wait until the last call has ended."
  )

  private static let serverDrain = Verb(
    command: Command(
      "server drain",
      "Lets running calls end and takes no new ones, before the server is stopped or replaced.",
      options: [Option](of: stop, patience, resume, noWait),
      discussion: """
        New calls are answered UNAVAILABLE, and clients repeat those that may be repeated; health is
        NOT_SERVING.
        Connections stay, so that administrators' calls, `status` and `server health` are answered all
        the time. Without --stop the server stays drained until --resume or its end. It ends with 0
        when no call runs any more, with 3 when --timeout is over first. The caller needs the role
        admin.

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
        throw UsageError("--patience is for --stop")
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
      // A server that stops cannot be asked for its last state.
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

  private static let serverLogLevel = Verb(
    command: Command(
      "server log-level",
      "Shows how much the server logs, or sets it until the server ends.",
      operands: "[LEVEL]",
      discussion: """
        LEVEL is debug, info, warning or error. The level that the server starts with is `rpcd
        --log-level`. The caller needs the role admin.

        Examples:
          rpcctl server log-level
          rpcctl server log-level debug
        """
    ),
    run: { invocation in
      let operands = invocation.arguments.operands
      guard operands.count <= 1 else { throw UsageError("one LEVEL, not \(operands.count)") }
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
        .init(level: level),
        options: invocation.callOptions
      )
      func name(_ level: TidingsV1.LogLevel) -> String {
        Contract.shortName(level, "LOG_LEVEL_").lowercased()
      }
      var object: JSONObject = ["level": .string(name(response.level))]
      if level != .unspecified { object.append("previous", .string(name(response.previous))) }
      write(object, invocation.output)
      return .success
    }
  )

  private static let tombstones = OptionKey<Int?>(
    "tombstones",
    value: "DAYS",
    in: 0...Int(UInt32.max),
    "Days for which deleted records and zones stay in feeds."
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
    "Notifications that are kept, of all users."
  )
  private static let reset = OptionKey<Bool>(
    flag: "reset",
    "First everything is again what rpcd was started with."
  )

  private static let serverRetention = Verb(
    command: Command(
      "server retention",
      "Shows for how long notifications and deletions are kept, or sets it.",
      options: [Option](of: tombstones, notifications, notificationsMax, reset),
      discussion: """
        What is set counts at once, wins over `rpcd --limit`, and outlasts restarts; `setNames` are the
        names of what was set. What is too old then is forgotten soon, and tokens from before it
        expire. The caller needs the role admin.

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
        try invocation.confirm("set for how long the server keeps notifications and deletions")
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
  /// Prints how far a server is with its calls.
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
