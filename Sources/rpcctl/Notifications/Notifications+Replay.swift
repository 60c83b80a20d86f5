internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let from = OptionKey<String>(
    "from",
    value: "TOKEN|@FILE|beginning",
    default: "beginning",
    completion: .files,
    "Where to begin: a token, a file with one, or the oldest that is unread."
  )
  private static let condition = OptionKey<String?>(
    "if",
    value: "PREDICATE",
    "Only those that satisfy it: see watch --until."
  )
  private static let exec = OptionKey<String?>(
    "exec",
    value: "COMMAND",
    "Run it for each, with the JSON on its standard input."
  )

  static let replayNotifications = Verb(
    command: Command(
      "notifications replay",
      "Prints the log again from a place on, or runs a command for each, and ends.",
      options: [Option](of: from, subscriptionFilter, condition, exec),
      discussion: """
        What was marked read meanwhile is not in the log any more. Nothing is marked, and no watch's
        --state is moved.

        Examples:
          rpcctl notifications replay --subscription pricey -o json
          rpcctl notifications replay --from AQIDBAUG --if 'price > 100000' --exec ./again
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let arguments = invocation.arguments
      let from = arguments[from]
      let token =
        from == "beginning" ? [] : try TokenText.bytes(from, "--from", invocation.input)
      let condition = try arguments[condition].map { try Condition($0, "--if") }
      let ids = Set(arguments[subscriptionFilter])
      let command = try arguments.nonEmpty(exec).map { ShellCommand($0) }
      let printer = WatchPrinter(output: invocation.output)
      invocation.output.beginStream()
      let session = try await invocation.connect()
      if command != nil { Interruption.heed() }
      var count = 0
      try await invocation.eachNotificationPage(after: token, over: session) { page in
        for notification in page
        where (ids.isEmpty || ids.contains(notification.subscriptionID))
          && condition?.holds(for: notification) != false
        {
          try Task.checkCancellation()
          count += 1
          if let command {
            try await command.run(try NotificationJSON.json(notification).text() + [10])
          } else {
            try printer.print(notification)
          }
        }
      }
      if invocation.output.format == .table {
        invocation.output.tell(counted(count, "notification"))
      }
      return .success
    }
  )

  /// `--subscription`, the same for all verbs that look at some notifications only.
  static let subscriptionFilter = OptionKey<[String]>(
    list: "subscription",
    value: "ID…",
    takesMany: true,
    completion: .live("subscriptions"),
    "Only notifications of these."
  )

  /// The verbs that are only `notifications …`; others are aliases of operations.
  static let notificationVerbs = [unreadCount, replayNotifications]
}
