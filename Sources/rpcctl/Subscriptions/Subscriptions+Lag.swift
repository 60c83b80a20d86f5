internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let since = OptionKey<String?>(
    "since",
    value: "TOKEN|@FILE",
    completion: .files,
    "The consumer's position: a TOKEN, @FILE, or a watch's --state (default: count unread)."
  )
  private static let max = OptionKey<Int?>(
    "max",
    value: "N",
    in: 0...Int(Int32.max),
    "Exit with 3 if a subscription has more than N pending notifications."
  )

  static let subscriptionLag = Verb(
    command: Command(
      "subscriptions lag",
      "Show the lag of a consumer of the log, by subscription.",
      options: [Option](of: since, max),
      discussion: """
        Reads the log page by page, and counts pending notifications and the age of the oldest.
        Subscriptions without pending notifications are omitted.

        Examples:
          rpcctl subscriptions lag
          rpcctl --as realty subscriptions lag --since @mailer.state --max 100
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let arguments = invocation.arguments
      let max = arguments[max]
      let position =
        try arguments[since].map { try LogPosition($0, invocation.input) } ?? LogPosition()
      let session = try await invocation.connect()
      var lags: [String: Lag] = [:]
      try await invocation.eachNotificationPage(after: position.token, over: session) { page in
        for notification in page where !position.contains(notification) {
          lags[notification.subscriptionID, default: Lag()].add(notification)
        }
      }
      let now = wallClock()
      let sorted = lags.sorted { $0.key < $1.key }
      invocation.output.write(sorted.map { $0.value.json(id: $0.key, now: now) }) {
        var table = Table(["SUBSCRIPTION", "BEHIND", "OLDEST", "AGE"])
        for (id, lag) in sorted { table.append(lag.row(id: id, now: now)) }
        return table
      }
      if sorted.isEmpty, invocation.output.format == .table {
        invocation.output.log("no pending notifications")
      }
      guard let max else { return .success }
      return sorted.contains { $0.value.count > max } ? .conditionNotMet : .success
    }
  )

  /// The verbs that are only `subscriptions …`; others are aliases of operations.
  static let subscriptionVerbs = [deleteSubscriptions, subscriptionLag]
}

/// A position in the log, exact to the notification if it comes from a watch.
private struct LogPosition {
  var token: [UInt8] = []
  private var position: InboxPosition?

  /// The oldest unread notification.
  init() {}

  init(_ text: String, _ input: Input) throws {
    token = try TokenText.bytes(text, "--since", input)
    guard text.hasPrefix("@") else { return }
    position = try? InboxPosition(bytes: try input.read(String(text.dropFirst())))
  }

  /// It was already processed, although it follows the token.
  func contains(_ notification: TidingsV1.Notification) -> Bool {
    position?.contains(notification) ?? false
  }
}

/// The pending notifications of one subscription.
private struct Lag {
  private(set) var count = 0
  /// When the oldest was committed; the log is in this order.
  private var oldest: GoogleProtobuf.Timestamp?

  mutating func add(_ notification: TidingsV1.Notification) {
    count += 1
    if oldest == nil { oldest = notification.committed }
  }

  func json(id: String, now: GoogleProtobuf.Timestamp) -> JSONValue {
    .omittingNil([
      "subscriptionId": .string(id), "behind": .integer(count),
      "oldest": oldest.map { .timestamp($0) },
      "seconds": oldest.map { .integer(now.since($0).components.seconds) },
    ])
  }

  func row(id: String, now: GoogleProtobuf.Timestamp) -> [String] {
    [id, "\(count)", oldest?.text ?? "", oldest.map { now.since($0).shortText } ?? ""]
  }
}
