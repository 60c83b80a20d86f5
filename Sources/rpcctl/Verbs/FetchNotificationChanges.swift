internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let fetchNotificationChanges = Verb(
    command: Command(
      "fetch-notification-changes", "Fetches the user's unread notifications from the log.",
      options: [
        Option("token", value: "TOKEN", "Continue after this `changeToken`."),
        Option("limit", value: "N", "Most notifications in a page."),
        Option(flag: "all", "All pages, not only the next."),
      ],
      discussion: """
        With `--output json` it prints one object with `notifications`, `changeToken` and
        `moreComing`; with jsonl a line for each notification, then one with the other two; as a table
        the rows, and the token on standard error.

        Example:
          rpcctl fetch-notification-changes --limit 50 -o json
        """),
    run: { invocation in
      try invocation.refuseOperands()
      var request = TidingsV1.FetchNotificationChangesRequest(
        container: invocation.settings.client.container,
        environment: invocation.settings.client.environment,
        changeToken: try changeToken(invocation.arguments))
      let limit = try invocation.arguments.number("limit", in: 1...Int(UInt32.max))
      request.limit = UInt32(limit ?? 0)
      let transport = try await invocation.connect().transport
      let client = TidingsV1.NotificationService.Client(transport)
      var page: NotificationPage
      var notifications: [TidingsV1.Notification] = []
      repeat {
        let response = try await client.fetchNotificationChanges(
          request, options: invocation.callOptions)
        notifications += response.notifications
        page = NotificationPage(
          changeToken: response.changeToken, moreComing: response.moreComing)
        request.changeToken = response.changeToken
      } while page.moreComing && invocation.arguments.has("all")
      try page.print(notifications, invocation.output)
      return .success
    })

  /// The bytes of `--token`; none without it.
  static func changeToken(_ arguments: ParsedArguments) throws(UsageError) -> [UInt8] {
    guard let text = arguments["token"] else { return [] }
    guard let token = Base64.decode(text) else {
      throw UsageError("--token takes a changeToken as it was printed, not '\(text)'")
    }
    return token
  }
}

/// Where a page of the log ends.
struct NotificationPage {
  let changeToken: [UInt8]
  let moreComing: Bool

  private var members: JSONObject {
    ["changeToken": .string(Base64.encode(changeToken)), "moreComing": .bool(moreComing)]
  }

  /// Prints the notifications, and where to go on.
  func print(_ notifications: [TidingsV1.Notification], _ output: Output) throws {
    switch output.format {
    case .json:
      var object: JSONObject = ["notifications": .array(try notifications.map(NotificationJSON.json))]
      for member in members.members { object.append(member.name, member.value) }
      output.write(.object(object))
    case .jsonl:
      for notification in notifications { output.write(line: try NotificationJSON.json(notification)) }
      output.write(line: .object(members))
    case .table:
      var table = Table(NotificationJSON.columns)
      for notification in notifications { table.append(NotificationJSON.row(notification)) }
      output.write(text: table.description)
      output.tell(
        "changeToken \(Base64.encode(changeToken))\(moreComing ? ", more coming" : "")")
    }
  }
}
