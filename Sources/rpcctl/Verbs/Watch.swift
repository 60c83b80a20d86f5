internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  static let watch = Verb(
    command: Command(
      "watch",
      "Prints notifications as they come, or runs a command for each.",
      options: [
        Option("count", value: "N", "End with 0 after so many notifications."),
        Option(
          "since",
          value: "WHEN",
          default: "beginning",
          "Begin with what waits in the log (beginning), with what comes (now), or after a TOKEN."
        ),
        Option("state", value: "FILE", "Go on where FILE says, and keep there how far it came."),
        Option("exec", value: "COMMAND", "Run it for each, with the JSON on its standard input."),
        Option(
          flag: "mark-read",
          "Mark each read that was printed, or whose command ended with 0."
        ),
        Option(flag: "read-marks", "Tell too what other devices of the user mark read."),
        Option(
          "subscription",
          value: "ID…",
          takesMany: true,
          "Only notifications of these."
        ),
      ],
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

        `--timeout TIME` on the command line ends the watch, here, after that time: with 1 if --count
        was not reached, otherwise with 0. Without it the watch goes on until it is interrupted (130).

        Examples:
          rpcctl --as realty --device laptop watch
          rpcctl --as realty --device laptop watch --since now --count 1 --timeout 30s -o json
          rpcctl --as realty --device mailer watch --state mailer.state --exec 'mail -s News ada'
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let arguments = invocation.arguments
      let output = invocation.output
      output.beginStream()
      let count = try arguments.number("count", in: 1...Int(Int32.max))
      let limit =
        arguments.isGiven("timeout") ? try arguments.duration("timeout") : nil
      let since = try WatchBegin(arguments["since"] ?? "")
      var start = WatchStart(
        statePath: try path(arguments, "state"),
        tellsReadMarks: arguments.has("read-marks")
      )
      let command = try nonEmpty(arguments, "exec").map(ShellCommand.init)
      let resumes = start.statePath.map(AtomicFile.exists) ?? false
      let session = try await invocation.connect()
      try await requireServer(session, invocation)
      // What a file says wins: a begin is only for a new one.
      if !resumes { start.token = try await since.token(invocation, session) }
      let source = try session.notifications(start) { output.tell(text(of: $0)) }
      if resumes, let path = start.statePath {
        output.tell("rpcctl: goes on where '\(path)' says; nothing is missed")
      }
      if output.format == .table, command == nil { output.tell("watching; Ctrl-C ends") }
      // The command and the file are to be left in order.
      if command != nil || start.statePath != nil { Interruption.heed() }
      let consumer = WatchConsumer(
        printer: WatchPrinter(output: output),
        command: command,
        reader: arguments.has("mark-read") ? ReadMarker(session, invocation) : nil,
        subscriptionIDs: Set(arguments.all("subscription"))
      )
      let seen = try await withTimeLimit(limit) { progress in
        try await consumer.consume(source, countMax: count, progress)
      }
      if Task.isCancelled { throw Interrupted() }
      guard let count, seen < count else { return .success }
      throw LocalFailure(
        "the time is over: \(seen) of \(count) notifications came"
      )
    }
  )

  private static func text(of event: NotificationInbox.Event) -> String {
    switch event {
    case .lost(let error): "rpcctl: the connection is lost, trying again: \(error)"
    case .restored(let time):
      "rpcctl: the connection is there again after \(time.shortText); nothing is missed"
    case .restarted(let error): "rpcctl: begins anew: \(error)"
    }
  }

  /// The value of an option that must not be empty.
  static func nonEmpty(
    _ arguments: ParsedArguments,
    _ option: String
  ) throws(UsageError) -> String? {
    guard let text = arguments[option] else { return nil }
    guard !text.isEmpty else { throw UsageError("--\(option) is empty") }
    return text
  }

  private static func path(
    _ arguments: ParsedArguments,
    _ option: String
  ) throws(UsageError) -> String? {
    try nonEmpty(arguments, option)
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

  init(_ text: String) throws(UsageError) {
    switch text {
    case "beginning": self = .beginning
    case "now": self = .now
    default:
      guard let token = try? Verb.changeToken(text, "--since") else {
        throw UsageError(
          "--since takes beginning, now, or a changeToken as it was printed, not '\(text)'"
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
