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
    "End with 0 after so many notifications."
  )
  private static let once = OptionKey<Bool>(flag: "once", "End with 0 after the first: --count 1.")
  private static let until = OptionKey<String?>(
    "until",
    value: "PREDICATE",
    "End with 0 after the first that satisfies it."
  )
  private static let sinceOption = OptionKey<String>(
    "since",
    value: "WHEN",
    default: "beginning",
    completion: .files,
    "Begin with what waits in the log (beginning), with what comes (now), or after a TOKEN or "
      + "the one in @FILE."
  )
  private static let stateOption = OptionKey<String?>(
    "state",
    value: "FILE",
    completion: .files,
    "Go on where FILE says, and keep there how far it came."
  )
  private static let exec = OptionKey<String?>(
    "exec",
    value: "COMMAND",
    "Run it for each, with the JSON on its standard input."
  )
  private static let markRead = OptionKey<Bool>(
    flag: "mark-read",
    "Mark each read that was printed, or whose command ended with 0."
  )
  private static let readMarks = OptionKey<Bool>(
    flag: "read-marks",
    "Tell too what other devices of the user mark read."
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
    "When the log no longer reaches back to the place it goes on at: end (75), or refetch, "
      + "beginning with the oldest that is kept."
  )
  private static let showHeartbeats = OptionKey<Bool>(
    flag: "show-heartbeats",
    "Tell on standard error each minute that it is alive."
  )

  static let watch = Verb(
    command: Command(
      "watch",
      aliases: ["notifications tail"],
      "Prints notifications as they come, or runs a command for each.",
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
        Begins with the unread notifications in the log and goes on with those that come; nothing is
        missed, nothing is printed twice. When the server goes away the watch waits for it, and says so
        on standard error.

        With --state it goes on after a restart where it was: FILE says how far it came, and is written
        after each notification that is printed, or whose command ended. --since says where a new FILE
        begins. One watch at a time can have a FILE.

        --exec runs `/bin/sh -c COMMAND` for each notification, one after the other, and prints nothing
        itself; what the command prints goes where the watch's own output would. A command that fails
        ends the watch with 5: with --state the notification comes again the next time. To try again,
        or to share the work, use `rpcctl work`.

        --until takes a predicate over the fields that a notification carries, recordName, and
        subscriptionID, reason, type (of the record) and zoneName; so does --if. A notification carries
        the fields that its subscription asks for with --desired-keys, and no others.

        `--timeout TIME` on the command line ends the watch, here, after that time: with 3 if --count
        was not reached or nothing satisfied --until, otherwise with 0. Without it the watch goes on
        until it is interrupted (130).

        Examples:
          rpcctl --as realty --device laptop watch
          rpcctl --as realty --device laptop watch --since now --count 1 --timeout 30s -o json
          rpcctl watch --until 'state == "done" AND reason == "RECORD_UPDATED"' --timeout 1h
          rpcctl --as realty --device mailer watch --state mailer.state --exec 'mail -s News ada'
        """
    ),
    dryRun: .refused("it only tells what comes"),
    run: { invocation in
      try invocation.refuseOperands()
      let arguments = invocation.arguments
      let output = invocation.output
      output.beginStream()
      let count = try countMax(arguments)
      let limit =
        arguments.given(.timeout)
      let since = try WatchBegin(arguments[sinceOption], invocation.input)
      var start = WatchStart(
        statePath: try arguments.nonEmpty(stateOption),
        tellsReadMarks: arguments[readMarks]
      )
      let command = try arguments.nonEmpty(exec).map { ShellCommand($0) }
      var consumer = WatchConsumer(printer: WatchPrinter(output: output), command: command)
      consumer.subscriptionIDs = Set(arguments[subscriptionFilter])
      consumer.filter = try arguments[condition].map { try Condition($0, "--if") }
      consumer.end = try arguments[until].map { try Condition($0, "--until") }
      let resumes = start.statePath.map(AtomicFile.exists) ?? false
      let session = try await invocation.connect()
      try await requireServer(session, invocation)
      // What a file says wins: a begin is only for a new one.
      if !resumes { start.token = try await since.token(invocation, session) }
      if resumes, let path = start.statePath {
        output.tell("rpcctl: resumes at the position in '\(path)'")
        if arguments.isGiven(sinceOption) {
          output.tell("rpcctl: --since is ignored: it applies to a new --state file only")
        }
      }
      if output.format == .table, command == nil { output.tell("watching; Ctrl-C ends") }
      // The command and the file are to be left in order.
      if command != nil || start.statePath != nil { Interruption.heed() }
      if arguments[markRead] { consumer.reader = ReadMarker(session, invocation) }
      let watch = NotificationWatch(
        session: session,
        begin: start,
        refetches: arguments[onExpired] == "refetch",
        output: output
      )
      let heart = arguments[showHeartbeats] ? Heartbeat(session, invocation) : nil
      let seen = try await withTimeLimit(limit) { [consumer] progress in
        let beats = Task { await heart?.beat(progress) }
        defer { beats.cancel() }
        try await watch.run { try await consumer.consume($0, countMax: count, progress) }
      }
      if Task.isCancelled { throw Interrupted() }
      if seen.isEnough(for: count, consumer.end != nil) { return .success }
      if let count {
        throw ConditionNotMet("the time is over: \(seen.count) of \(count) notifications came")
      }
      throw ConditionNotMet("the time is over: no notification came that satisfies --until")
    }
  )

  /// How many notifications end it; `nil`: no number does.
  private static func countMax(_ arguments: ParsedArguments) throws(UsageError) -> Int? {
    let count = arguments[count]
    guard arguments[once] else { return count }
    guard count == nil else { throw UsageError("--once is --count 1: give one of them") }
    return 1
  }

  /// A stream tries again for ever; a server that was never there is told at once.
  static func requireServer(_ session: Session, _ invocation: Invocation) async throws {
    do {
      _ = try await TidingsRpcV1.HealthService.Client(session.transport).check(
        .init(),
        options: invocation.callOptions
      )
    } catch {
      // Any other failure is an answer too: the server is there.
      guard error.code != .unavailable else { throw error }
    }
  }
}

/// What `--since` says.
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
          "--since takes beginning, now, @FILE, or a changeToken as it was printed, not '\(text)'"
        )
      }
      self = .token(token)
    }
  }

  /// The token to begin after.
  func token(_ invocation: Invocation, _ session: Session) async throws -> [UInt8] {
    switch self {
    case .beginning: return []
    case .token(let token): return token
    case .now: return try await invocation.newestNotificationToken(session)
    }
  }
}
