internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let limit = OptionKey<Int?>(
    "limit",
    value: "N",
    in: 1...Int(UInt32.max),
    "Most notifications to lease."
  )

  static let leaseNotifications = Verb(
    command: Command(
      "notifications lease",
      aliases: ["lease-notifications"],
      "Lease notifications: no other device of the group gets them until the lease expires.",
      options: [Option](of: groupOption, limit, visibilityOption, fromNowOption),
      discussion: """
        With `--output json` it prints one object with `notifications` and `moreComing`; with jsonl one
        line per notification, then one with `moreComing`, and with `nextExpiry` if none is available
        but another device holds a lease. Settle each lease with `notifications settle`; otherwise the
        notification is delivered again when the lease expires. `rpcctl work` does both.

        Example:
          rpcctl --device w1 notifications lease --group thumbnails --limit 10 --visibility 2m
        """
    ),
    run: { invocation in
      try invocation.refuseOperands()
      let arguments = invocation.arguments
      let request = TidingsV1.LeaseNotificationsRequest(
        container: invocation.settings.container,
        environment: invocation.settings.environment,
        group: try group(arguments),
        limit: UInt32(arguments[limit] ?? 0),
        visibilityTimeout: arguments[visibilityOption].map { .init($0) },
        startsAtEnd: arguments[fromNowOption]
      )
      let transport = try await invocation.connect().transport
      let response = try await TidingsV1.NotificationService.Client(transport)
        .leaseNotifications(request, options: invocation.callOptions)
      try print(response, invocation.output)
      return .success
    }
  )

  static let groupOption = OptionKey<String?>(
    "group",
    value: "NAME",
    "The group of devices that share the work."
  )
  static let visibilityOption = OptionKey<Duration?>(
    time: "visibility",
    "The duration of a lease: 1s to 12h (default: 30s)."
  )
  static let fromNowOption = OptionKey<Bool>(
    flag: "from-now",
    "Start a new group with new notifications only."
  )

  /// Returns the group of `--group`.
  static func group(_ arguments: ParsedArguments) throws(UsageError) -> String {
    guard let group = arguments[groupOption] else {
      throw UsageError("no group: set --group NAME, which the devices share")
    }
    return group
  }

  private static func print(
    _ response: TidingsV1.LeaseNotificationsResponse,
    _ output: Output
  ) throws {
    var end: JSONObject = ["moreComing": .bool(response.moreComing)]
    let wait = response.nextExpiry.map { duration in
      Duration.seconds(duration.seconds) + .nanoseconds(Int64(duration.nanos))
    }
    if let duration = response.nextExpiry,
      let text = JSONTime(seconds: duration.seconds, nanoseconds: duration.nanos).durationText
    {
      end.append("nextExpiry", .string(text))
    }
    switch output.format {
    case .json:
      var object: JSONObject = [
        "notifications": .array(try response.notifications.map(LeaseJSON.json))
      ]
      for member in end.members { object.append(member.name, member.value) }
      output.write(.object(object))
    case .jsonl:
      for leased in response.notifications { output.write(line: try LeaseJSON.json(leased)) }
      output.write(end: .object(end))
    case .table:
      var table = Table(LeaseJSON.columns)
      for leased in response.notifications { table.append(LeaseJSON.row(leased)) }
      output.write(table)
      if response.moreComing {
        output.log("more coming")
      } else if response.notifications.isEmpty {
        output.log(
          wait.map { "none available; the next lease expires in \($0.shortText)" }
            ?? "none available"
        )
      }
    }
  }
}
