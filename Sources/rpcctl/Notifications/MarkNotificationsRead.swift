internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let allOption = OptionKey<Bool>(
    flag: "all",
    "Mark all unread notifications, instead of ID."
  )

  static let markNotificationsRead = Verb(
    command: Command(
      "notifications read",
      aliases: ["mark-notifications-read"],
      "Mark notifications read, for all devices of the user.",
      operands: "[ID…]",
      options: [Option](of: allOption, subscriptionFilter),
      discussion: """
        Examples:
          rpcctl notifications read --all
          rpcctl notifications read --all --subscription pricey
          rpcctl fetch-notification-changes -o json | jq -r '.notifications[].notificationId' \\
            | xargs -r rpcctl notifications read
        """
    ),
    run: { invocation in
      let arguments = invocation.arguments
      let ids = arguments.operands
      guard arguments[allOption] != !ids.isEmpty else {
        throw UsageError("no notifications: use ID…, or --all, optionally with --subscription")
      }
      let subscriptions = Set(arguments[subscriptionFilter])
      guard arguments[allOption] || subscriptions.isEmpty else {
        throw UsageError("--subscription requires --all")
      }
      let session = try await invocation.connect()
      var results = Results(columns: ["NOTIFICATION", "RESULT"])
      guard arguments[allOption] else {
        try await invocation.markRead(ids, &results, over: session)
        return results.finish(invocation.output)
      }
      try await invocation.eachNotificationPage(over: session) { page in
        let wanted = page.filter {
          subscriptions.isEmpty || subscriptions.contains($0.subscriptionID)
        }
        try await invocation.markRead(wanted.map(\.notificationID), &results, over: session)
      }
      return results.finish(invocation.output)
    }
  )
}

extension Invocation {
  /// Marks any number of notifications read.
  func markRead(
    _ ids: [String],
    _ results: inout Results,
    over session: Session
  ) async throws {
    let client = TidingsV1.NotificationService.Client(session.transport)
    var rest = ids[...]
    while !rest.isEmpty {
      let response = try await client.markNotificationsRead(
        .init(
          container: settings.container,
          environment: settings.environment,
          notificationIDs: Array(rest.prefix(Verb.itemsPerCall))
        ),
        options: callOptions
      )
      for result in response.results { results.append(result) }
      rest = rest.dropFirst(Verb.itemsPerCall)
    }
  }
}

extension Results {
  fileprivate mutating func append(_ result: TidingsV1.NotificationResult) {
    let id = result.notificationID
    switch result.outcome {
    case .markedRead:
      append(.object(["notificationId": .string(id), "markedRead": .bool(true)]), [id, "read"])
    case .error(let error):
      appendFailure(
        .object(["notificationId": .string(id), "error": error.json]),
        [id, error.text]
      )
    case nil: appendFailure(.object(["notificationId": .string(id)]), [id, "no result"])
    }
  }
}
