internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let limit = OptionKey<Int?>(
    "limit",
    value: "N",
    in: 1...Int(UInt32.max),
    "Most notifications."
  )

  static let leaseNotifications = Verb(
    command: Command(
      "notifications lease",
      aliases: ["lease-notifications"],
      "Leases notifications to work on: no other device of the group gets them meanwhile.",
      options: [Option](of: groupOption, limit, visibilityOption, fromNowOption),
      discussion: """
        With `--output json` it prints one object with `notifications` and `moreComing`; with jsonl a
        line for each notification, then one with `moreComing`, and `nextExpiry` when nothing is handed
        out and another device's lease is open. Settle each lease with `notifications settle`; what is
        not settled is handed out again when the lease is over. `rpcctl work` does both.

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
    "The group that shares the work."
  )
  static let visibilityOption = OptionKey<Duration?>(
    time: "visibility",
    "How long a notification is leased: 1s to 12h; without it 30s."
  )
  static let fromNowOption = OptionKey<Bool>(
    flag: "from-now",
    "A group that does not exist yet begins with what comes from now on."
  )

  /// The group that `--group` names.
  static func group(_ arguments: ParsedArguments) throws(UsageError) -> String {
    guard let group = arguments[groupOption], !group.isEmpty else {
      throw UsageError("--group NAME is needed: the devices of a group share the work")
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
        output.tell("more coming")
      } else if response.notifications.isEmpty {
        output.tell(
          wait.map { "nothing now; the next lease ends in \($0.shortText)" } ?? "nothing now"
        )
      }
    }
  }
}
