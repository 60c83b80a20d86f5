internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  private static let count = OptionKey<Int?>(
    "count",
    value: "N",
    in: 1...Int(Int32.max),
    "Exit with 0 after N notifications."
  )
  private static let once = OptionKey<Bool>(
    flag: "once",
    "Exit with 0 after the first notification: --count 1."
  )
  private static let until = OptionKey<String?>(
    "until",
    value: "PREDICATE",
    "Exit with 0 after the first notification that satisfies it."
  )
  private static let sinceOption = OptionKey<String>(
    "since",
    value: "WHEN",
    default: "beginning",
    completion: .files,
    "Start with unread notifications in the log (beginning), with new ones (now), or after a TOKEN or "
      + "the one in @FILE."
  )
  private static let stateOption = OptionKey<String?>(
    "state",
    value: "FILE",
    completion: .files,
    "Resume from the position in FILE, and save the position there."
  )
  private static let exec = OptionKey<String?>(
    "exec",
    value: "COMMAND",
    "The command to run for each notification, with its JSON on standard input."
  )
  private static let markRead = OptionKey<Bool>(
    flag: "mark-read",
    "Mark each notification read after it is printed or its command succeeds."
  )
  private static let readMarks = OptionKey<Bool>(
    flag: "read-marks",
    "Include notifications that other devices mark read."
  )
  private static let condition = OptionKey<String?>(
    "if",
    value: "PREDICATE",
    "Only notifications that satisfy it."
  )
  private static let onExpired = OptionKey<String>(
    "on-expired",
    value: "WHAT",
    default: "end",
    choices: ["end", "refetch"],
    "If the log no longer reaches back to the position: end (exit with 75), or refetch (restart with "
      + "the oldest notification in the log)."
  )
  private static let showHeartbeats = OptionKey<Bool>(
    flag: "show-heartbeats",
    "Log each minute on standard error that the watch is alive."
  )

  static let watch = Verb(
    command: Command(
      "watch",
      aliases: ["notifications tail"],
      "Print notifications as they arrive, or run a command for each.",
      options: [Option](
        of: count,
        once,
        until,
        sinceOption,
        stateOption,
        exec,
        markRead,
        readMarks,
        subscriptionFilter,
        condition,
        onExpired,
        showHeartbeats
      ),
      discussion: """
        Starts with the unread notifications in the log and continues with new ones; no notification is
        missed or printed twice. If there is no server yet, or the connection is lost, the watch logs the
        reason on standard error and goes on trying.

        With --state the watch resumes after a restart: it saves its position to FILE after each
        notification that is printed or whose command succeeded. --since sets the start of a new FILE.
        FILE can be used by one watch at a time.

        --exec runs `/bin/sh -c COMMAND` for each notification, one at a time, instead of printing it; the
        command's output is passed through. A command that fails ends the watch with 5; with --state its
        notification is repeated at the next start. To retry automatically, or to share the work among
        devices, use `rpcctl work`.

        --until and --if take a predicate over the fields of the notification, recordName,
        subscriptionID, reason, type (of the record) and zoneName. A notification contains only the
        fields that its subscription selects with --desired-keys.

        An explicit `--timeout TIME` ends the watch after that time: with 3 if --count was not reached or
        no notification satisfied --until, otherwise with 0. Without it the watch runs until it is
        interrupted (130).

        Examples:
          rpcctl --as realty --device laptop watch
          rpcctl --as realty --device laptop watch --since now --count 1 --timeout 30s -o json
          rpcctl watch --until 'state == "done" AND reason == "RECORD_UPDATED"' --timeout 1h
          rpcctl --as realty --device mailer watch --state mailer.state --exec 'mail -s Changes ada'
        """
    ),
    dryRun: .refused("it changes nothing"),
    run: { invocation in
      try invocation.refuseOperands()
      let arguments = invocation.arguments
      let output = invocation.output
      output.beginStream()
      let count = try countMax(arguments)
      let limit =
        arguments.given(.timeout)
      let since = try WatchBegin(arguments[sinceOption], invocation.input)
      let start = WatchStart(
        statePath: arguments[stateOption],
        includesReadMarks: arguments[readMarks]
      )
      let command = arguments[exec].map { ShellCommand($0) }
      var consumer = WatchConsumer(printer: WatchPrinter(output: output), command: command)
      consumer.subscriptionIDs = Set(arguments[subscriptionFilter])
      consumer.filter = try arguments[condition].map { try Condition($0, "--if") }
      consumer.end = try arguments[until].map { try Condition($0, "--until") }
      let resumes = start.statePath.map(AtomicFile.exists) ?? false
      let session = try await invocation.connect()
      if resumes, let path = start.statePath {
        output.log("rpcctl: resuming from the position in '\(path)'; no notifications are missed")
        if arguments.isGiven(sinceOption) {
          output.log("rpcctl: --since is ignored: the --state file exists")
        }
      }
      if output.format == .table, command == nil { output.log("watching; press Ctrl-C to stop") }
      // An interruption must leave the command and the file in a consistent state.
      if command != nil || start.statePath != nil { Interruption.enableCancellation() }
      if arguments[markRead] { consumer.reader = ReadMarker(session, invocation) }
      let heartbeat = arguments[showHeartbeats] ? Heartbeat(session, invocation) : nil
      let refetches = arguments[onExpired] == "refetch"
      let seen = try await withTimeLimit(limit) { [consumer, start] progress in
        try await ConnectionWait(session, output).end(within: nil)
        var start = start
        // The position in the file overrides --since, which is for new files only.
        if !resumes {
          start.token = try await untilAnswered { try await since.token(invocation, session) }
        }
        let watch = NotificationWatch(
          session: session,
          begin: start,
          refetches: refetches,
          output: output
        )
        let beats = Task { await heartbeat?.beat(progress) }
        defer { beats.cancel() }
        try await watch.run { try await consumer.consume($0, countMax: count, progress) }
      }
      if Task.isCancelled { throw Interrupted() }
      if seen.isEnough(for: count, consumer.end != nil) { return .success }
      if let count {
        throw ConditionNotMet("timed out: \(seen.count) of \(count) notifications arrived")
      }
      throw ConditionNotMet("timed out: no notification satisfied --until")
    }
  )

  /// The number of notifications after which it ends; `nil`: unlimited.
  private static func countMax(_ arguments: ParsedArguments) throws(UsageError) -> Int? {
    let count = arguments[count]
    guard arguments[once] else { return count }
    guard count == nil else { throw UsageError("--once is the same as --count 1: use one of them") }
    return 1
  }

  // A feed would retry without end; an unreachable server is reported at once.
  static func requireServer(_ session: Session, _ invocation: Invocation) async throws {
    do {
      _ = try await TidingsRpcV1.HealthService.Client(session.transport).check(
        .init(),
        options: invocation.callOptions
      )
    } catch {
      // Any other failure shows that the server is reachable.
      guard error.code != .unavailable else { throw error }
    }
  }
}

/// The values of `--since`.
private enum WatchBegin {
  case beginning
  case now
  case token([UInt8])

  init(_ text: String, _ input: Input) throws {
    switch text {
    case "beginning": self = .beginning
    case "now": self = .now
    case _ where text.hasPrefix("@"): self = .token(try TokenText.bytes(text, "--since", input))
    default:
      guard let token = try? Verb.changeToken(text, "--since") else {
        throw UsageError(
          "invalid --since '\(text)': use beginning, now, @FILE, or a changeToken as printed"
        )
      }
      self = .token(token)
    }
  }

  /// Returns the token to start after.
  func token(_ invocation: Invocation, _ session: Session) async throws -> [UInt8] {
    switch self {
    case .beginning: return []
    case .token(let token): return token
    case .now: return try await invocation.newestNotificationToken(session)
    }
  }
}
