internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let limit = OptionKey<Int?>(
    "limit",
    value: "N",
    in: 1...Int(UInt32.max),
    "Most notifications in a page."
  )
  private static let allOption = OptionKey<Bool>(flag: "all", "All pages, not only the next.")
  private static let badge = OptionKey<Bool>(
    flag: "badge",
    "Tell the badge's number after the last page."
  )
  private static let userInfo = OptionKey<Bool>(
    flag: "user-info",
    "Add CloudKit's `userInfo` dictionary to each notification."
  )
  private static let omitRead = OptionKey<Bool>(
    flag: "omit-read",
    "Do not tell what other devices marked read."
  )

  static let fetchNotificationChanges = Verb(
    command: Command(
      "notifications list",
      aliases: ["fetch-notification-changes"],
      "Fetches the user's notifications from the log.",
      options: TokenText.options + [Option](of: limit, allOption, badge, userInfo, omitRead),
      discussion: """
        Without --since it begins with the oldest unread notification that is kept. What another device
        of the user marks read later comes as a READ_NOTIFICATION.

        With `--output json` it prints one object with `notifications`, `changeToken` and
        `moreComing`; with jsonl a line for each notification, then one with the other two; as a table
        the rows, and the token on standard error. `isSplit` stands beside them when what one call
        caused goes on in the next page, `badgeValue` with --badge.

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

  /// For programs.
  fileprivate var members: JSONObject {
    var object: JSONObject = [
      "changeToken": .string(Base64.encode(changeToken)), "moreComing": .bool(moreComing),
    ]
    if isSplit { object.append("isSplit", .bool(true)) }
    if let badgeValue { object.append("badgeValue", .integer(badgeValue)) }
    return object
  }
}

/// Prints the log page by page, however long it is, and then where to go on.
private struct NotificationPrinter {
  private let output: Output
  private var table = GrowingTable(NotificationJSON.columns)
  /// As JSON everything is one object.
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

  /// Prints where the last page ends.
  func finish(_ page: NotificationPage) {
    switch output.format {
    case .json:
      var object: JSONObject = ["notifications": .array(list)]
      for member in page.members.members { object.append(member.name, member.value) }
      output.write(.object(object))
    case .jsonl: output.write(end: .object(page.members))
    case .table:
      let more = page.moreComing ? ", more coming" : ""
      output.tell("changeToken \(Base64.encode(page.changeToken))\(more)")
      if let badgeValue = page.badgeValue { output.tell("badge \(badgeValue)") }
    }
  }
}
