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
    "The start: a TOKEN, @FILE, or the oldest unread notification."
  )
  private static let condition = OptionKey<String?>(
    "if",
    value: "PREDICATE",
    "Only notifications that satisfy it: see watch --until."
  )
  private static let exec = OptionKey<String?>(
    "exec",
    value: "COMMAND",
    "The command to run for each notification, with its JSON on standard input."
  )

  static let replayNotifications = Verb(
    command: Command(
      "notifications replay",
      "Print the log again from a position, or run a command for each notification.",
      options: [Option](of: from, subscriptionFilter, condition, exec),
      discussion: """
        Notifications that were marked read are no longer in the log. Nothing is marked read, and the
        --state of watches is not changed.

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
      let command = arguments[exec].map { ShellCommand($0) }
      let printer = WatchPrinter(output: invocation.output)
      invocation.output.beginStream()
      let session = try await invocation.connect()
      if command != nil { Interruption.enableCancellation() }
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
        invocation.output.log(counted(count, "notification"))
      }
      return .success
    }
  )

  /// `--subscription`, shared by all verbs that select notifications.
  static let subscriptionFilter = OptionKey<[String]>(
    list: "subscription",
    value: "ID…",
    takesMany: true,
    completion: .live("subscriptions"),
    "Only notifications of these subscriptions."
  )

  /// The verbs that are only `notifications …`; others are aliases of operations.
  static let notificationVerbs = [unreadCount, replayNotifications]
}
