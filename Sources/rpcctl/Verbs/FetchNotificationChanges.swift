internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  static let fetchNotificationChanges = Verb(
    command: Command(
      "fetch-notification-changes",
      aliases: ["notifications list"],
      "Fetches the user's notifications from the log.",
      options: TokenText.options + [
        Option("limit", value: "N", "Most notifications in a page."),
        Option(flag: "all", "All pages, not only the next."),
        Option(flag: "badge", "Tell the badge's number after the last page."),
        Option(flag: "user-info", "Add CloudKit's `userInfo` dictionary to each notification."),
        Option(flag: "omit-read", "Do not tell what other devices marked read."),
      ],
      discussion: """
        Without --since it begins with the oldest unread notification that is kept. What another device
        of the user marks read later comes as a READ_NOTIFICATION.

        With `--output json` it prints one object with `notifications`, `changeToken` and
        `moreComing`; with jsonl a line for each notification, then one with the other two; as a table
        the rows, and the token on standard error. `isSplit` stands beside them when what one call
        caused goes on in the next page, `badgeValue` with --badge.

        Examples:
          rpcctl fetch-notification-changes --limit 50 -o json
          rpcctl notifications list --all --badge --omit-read
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      var request = TidingsV1.FetchNotificationChangesRequest(
        container: invocation.settings.container,
        environment: invocation.settings.environment,
        changeToken: try invocation.sinceToken(),
        omitsReadNotifications: invocation.arguments.has("omit-read"),
        wantsUserInfo: invocation.arguments.has("user-info"),
        wantsBadge: invocation.arguments.has("badge")
      )
      let limit = try invocation.arguments.number("limit", in: 1...Int(UInt32.max))
      request.limit = UInt32(limit ?? 0)
      let transport = try await invocation.connect().transport
      let client = TidingsV1.NotificationService.Client(transport)
      var page: NotificationPage
      var notifications: [TidingsV1.Notification] = []
      repeat {
        let response = try await client.fetchNotificationChanges(
          request,
          options: invocation.callOptions
        )
        notifications += response.notifications
        page = NotificationPage(
          changeToken: response.changeToken,
          moreComing: response.moreComing,
          isSplit: response.isSplit,
          badgeValue: response.badgeValue
        )
        request.changeToken = response.changeToken
      } while page.moreComing && invocation.arguments.has("all")
      try page.print(notifications, invocation.output)
      try invocation.keep(token: page.changeToken)
      return .success
    }
  )

  /// The bytes of a token as it was printed; an empty one is probably a variable that was not set.
  static func changeToken(_ text: String, _ option: String) throws(UsageError) -> [UInt8] {
    guard let token = Base64.decode(text), !token.isEmpty else {
      throw UsageError(
        "\(option) takes a changeToken as it was printed, not '\(text)'"
          + (text.isEmpty ? "; leave it out to begin at the beginning" : "")
      )
    }
    return token
  }
}

/// Where a page of the log ends.
struct NotificationPage {
  let changeToken: [UInt8]
  let moreComing: Bool
  let isSplit: Bool
  /// `nil`: nobody asked for it, or it is not the last page.
  let badgeValue: UInt32?

  private var members: JSONObject {
    var object: JSONObject = [
      "changeToken": .string(Base64.encode(changeToken)), "moreComing": .bool(moreComing),
    ]
    if isSplit { object.append("isSplit", .bool(true)) }
    if let badgeValue { object.append("badgeValue", .integer(badgeValue)) }
    return object
  }

  /// Prints the notifications, and where to go on.
  func print(_ notifications: [TidingsV1.Notification], _ output: Output) throws {
    switch output.format {
    case .json:
      var object: JSONObject = [
        "notifications": .array(try notifications.map(NotificationJSON.json))
      ]
      for member in members.members { object.append(member.name, member.value) }
      output.write(.object(object))
    case .jsonl:
      for notification in notifications {
        output.write(line: try NotificationJSON.json(notification))
      }
      output.write(end: .object(members))
    case .table:
      var table = Table(NotificationJSON.columns)
      for notification in notifications { table.append(NotificationJSON.row(notification)) }
      output.write(table)
      output.tell(
        "changeToken \(Base64.encode(changeToken))\(moreComing ? ", more coming" : "")"
      )
      if let badgeValue { output.tell("badge \(badgeValue)") }
    }
  }
}
