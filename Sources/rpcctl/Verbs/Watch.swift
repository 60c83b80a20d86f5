internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  static let watch = Verb(
    command: Command(
      "watch",
      "Prints notifications as they come.",
      options: [
        Option("count", value: "N", "End with 0 after so many notifications."),
        Option("token", value: "TOKEN", "Begin after this `changeToken`."),
        Option(flag: "new", "Begin with what comes from now on, not with what waits in the log."),
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

        `--timeout TIME` on the command line ends the watch, here, after that time: with 1 if --count
        was not reached, otherwise with 0. Without it the watch goes on until it is interrupted (130).

        Examples:
          rpcctl --as realty --device laptop watch
          rpcctl --as realty --device laptop watch --count 1 --timeout 30s -o json
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let arguments = invocation.arguments
      let count = try arguments.number("count", in: 1...Int(Int32.max))
      let limit =
        arguments.isGiven("timeout") ? try arguments.duration("timeout") : nil
      if arguments.has("new"), arguments.has("token") {
        throw UsageError("--new and --token say two different beginnings: give one of them")
      }
      var token = try changeToken(arguments)
      let session = try await invocation.connect()
      try await requireServer(session, invocation)
      if arguments.has("new") { token = try await latestToken(invocation, session, after: token) }
      if invocation.output.format == .table { invocation.output.tell("watching; Ctrl-C ends") }
      let printer = WatchPrinter(
        output: invocation.output,
        subscriptionIDs: Set(arguments.all("subscription"))
      )
      let output = invocation.output
      let stream = session.notifications(token) { output.tell(connectionText($0)) }
      let printed = try await withTimeLimit(limit) { progress in
        try await printer.print(stream, countMax: count, progress)
      }
      guard let count, printed < count else { return .success }
      throw LocalFailure(
        "the time is over: \(printed) of \(count) notifications came"
      )
    }
  )

  private static func connectionText(_ connection: NotificationStream.Connection) -> String {
    switch connection {
    case .lost(let error): "rpcctl: the connection is lost, trying again: \(error)"
    case .restored: "rpcctl: the connection is there again; nothing is missed"
    }
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

  private static func latestToken(
    _ invocation: Invocation,
    _ session: Session,
    after token: [UInt8]
  ) async throws -> [UInt8] {
    let client = TidingsV1.NotificationService.Client(session.transport)
    var request = TidingsV1.FetchNotificationChangesRequest(
      container: invocation.settings.container,
      environment: invocation.settings.environment,
      changeToken: token
    )
    var isAtEnd = false
    while !isAtEnd {
      let page = try await client.fetchNotificationChanges(
        request,
        options: invocation.callOptions
      )
      request.changeToken = page.changeToken
      isAtEnd = !page.moreComing
    }
    return request.changeToken
  }
}
