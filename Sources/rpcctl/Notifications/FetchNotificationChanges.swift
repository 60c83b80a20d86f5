internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let limit = OptionKey<Int?>(
    "limit",
    value: "N",
    in: 1...Int(UInt32.max),
    "Most notifications per page."
  )
  private static let allOption = OptionKey<Bool>(flag: "all", "Fetch all pages, not only the next.")
  private static let badge = OptionKey<Bool>(
    flag: "badge",
    "Show the badge's number after the last page."
  )
  private static let userInfo = OptionKey<Bool>(
    flag: "user-info",
    "Add CloudKit's `userInfo` dictionary to each notification."
  )
  private static let omitRead = OptionKey<Bool>(
    flag: "omit-read",
    "Omit notifications that other devices marked read."
  )

  static let fetchNotificationChanges = Verb(
    command: Command(
      "notifications list",
      aliases: ["fetch-notification-changes"],
      "List the user's notifications in the log.",
      options: TokenText.options + [Option](of: limit, allOption, badge, userInfo, omitRead),
      discussion: """
        Without --since it starts with the oldest unread notification in the log. A notification that
        another device of the user marks read later is reported as a READ_NOTIFICATION.

        With `--output json` it prints one object with `notifications`, `changeToken` and `moreComing`;
        with jsonl one line per notification, then one with the other two; as a table the rows, and the
        token on standard error. It adds `isSplit` if the notifications of one call continue on the next
        page, and `badgeValue` with --badge.

        Examples:
          rpcctl notifications list --limit 50 -o json
          rpcctl notifications list --all --badge --omit-read
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      var request = TidingsV1.FetchNotificationChangesRequest(
        container: invocation.settings.container,
        environment: invocation.settings.environment,
        changeToken: try invocation.sinceToken(),
        omitsReadNotifications: invocation.arguments[omitRead],
        wantsUserInfo: invocation.arguments[userInfo],
        wantsBadge: invocation.arguments[badge]
      )
      let limit = invocation.arguments[limit]
      request.limit = UInt32(limit ?? 0)
      let transport = try await invocation.connect().transport
      let client = TidingsV1.NotificationService.Client(transport)
      var printer = NotificationPrinter(invocation.output)
      var page: NotificationPage
      repeat {
        let response = try await client.fetchNotificationChanges(
          request,
          options: invocation.callOptions
        )
        try printer.print(response.notifications)
        page = NotificationPage(
          changeToken: response.changeToken,
          moreComing: response.moreComing,
          isSplit: response.isSplit,
          badgeValue: response.badgeValue
        )
        request.changeToken = response.changeToken
      } while page.moreComing && invocation.arguments[allOption]
      printer.finish(page)
      try invocation.keep(token: page.changeToken)
      return .success
    }
  )

  /// Parses a printed token; an empty one is probably an unset variable.
  static func changeToken(_ text: String, _ option: String) throws(UsageError) -> [UInt8] {
    guard let token = Base64.decode(text), !token.isEmpty else {
      throw UsageError(
        "invalid \(option) '\(text)': use a changeToken as printed"
          + (text.isEmpty ? ", or omit it to start from the beginning" : "")
      )
    }
    return token
  }
}

/// The end of a page of the log.
struct NotificationPage {
  let changeToken: [UInt8]
  let moreComing: Bool
  let isSplit: Bool
  /// `nil`: not requested, or not the last page.
  let badgeValue: UInt32?

  /// The end as JSON.
  fileprivate var members: JSONObject {
    var object: JSONObject = [
      "changeToken": .string(Base64.encode(changeToken)), "moreComing": .bool(moreComing),
    ]
    if isSplit { object.append("isSplit", .bool(true)) }
    if let badgeValue { object.append("badgeValue", .integer(badgeValue)) }
    return object
  }
}

/// Prints the log page by page, and then the token to resume from.
private struct NotificationPrinter {
  private let output: Output
  private var table = GrowingTable(NotificationJSON.columns)
  /// With JSON, everything is one object.
  private var list: [JSONValue] = []

  init(_ output: Output) { self.output = output }

  /// Prints a page.
  mutating func print(_ notifications: [TidingsV1.Notification]) throws {
    switch output.format {
    case .json: list += try notifications.map(NotificationJSON.json)
    case .jsonl:
      for notification in notifications {
        output.write(line: try NotificationJSON.json(notification))
      }
    case .table: table.print(notifications.map(NotificationJSON.row), output)
    }
  }

  /// Prints the end of the last page.
  func finish(_ page: NotificationPage) {
    switch output.format {
    case .json:
      var object: JSONObject = ["notifications": .array(list)]
      for member in page.members.members { object.append(member.name, member.value) }
      output.write(.object(object))
    case .jsonl: output.write(end: .object(page.members))
    case .table:
      let more = page.moreComing ? ", more coming" : ""
      output.log("changeToken \(Base64.encode(page.changeToken))\(more)")
      if let badgeValue = page.badgeValue { output.log("badge \(badgeValue)") }
    }
  }
}
