internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

extension Verb {
  private static let done = OptionKey<Bool>(
    flag: "done",
    "Complete the work: the group never gets the notification again."
  )
  private static let releaseOption = OptionKey<Bool>(
    flag: "release",
    "Release the lease: the notification is delivered again at once."
  )
  private static let extend = OptionKey<Duration?>(
    time: "extend",
    "Renew the lease for this duration: 1s to 12h."
  )
  private static let markRead = OptionKey<Bool>(
    flag: "mark-read",
    "With --done: mark the notifications read, too."
  )

  static let settleNotifications = Verb(
    command: Command(
      "notifications settle",
      aliases: ["settle-notifications"],
      "Settle leases: complete, release or extend them.",
      operands: "LEASE…",
      options: [Option](of: groupOption, done, releaseOption, extend, markRead),
      discussion: """
        An expired lease, whose notification another device may have, fails with UNKNOWN_ITEM.

        Examples:
          rpcctl --device w1 notifications settle --group thumbnails --done LEASE1 LEASE2
          rpcctl --device w1 notifications settle --group thumbnails --extend 5m LEASE3
        """
    ),
    run: { invocation in
      let request = try settlementRequest(invocation)
      let transport = try await invocation.connect().transport
      let response = try await TidingsV1.NotificationService.Client(transport)
        .settleNotifications(request, options: invocation.callOptions)
      var results = Results(columns: ["LEASE", "RESULT"])
      for result in response.results {
        let id = result.leaseID
        switch result.outcome {
        case .settled:
          results.append(
            .object(["leaseId": .string(id), "settled": .bool(true)]),
            [id, request.settlement.word]
          )
        case .error(let error):
          results.appendFailure(
            .object(["leaseId": .string(id), "error": error.json]),
            [id, error.text]
          )
        case nil:
          results.appendFailure(.object(["leaseId": .string(id)]), [id, "no result"])
        }
      }
      return results.finish(invocation.output)
    }
  )

  private static func settlementRequest(
    _ invocation: Invocation
  ) throws
    -> TidingsV1.SettleNotificationsRequest
  {
    let arguments = invocation.arguments
    var request = TidingsV1.SettleNotificationsRequest(
      container: invocation.settings.container,
      environment: invocation.settings.environment,
      group: try group(arguments),
      leaseIDs: try invocation.requireOperands("LEASE")
    )
    let given = [Option](of: done, releaseOption, extend).filter(arguments.has)
    guard given.count == 1 else {
      throw UsageError("no action: use --done, --release or --extend TIME")
    }
    switch given[0].name {
    case done.name: request.settlement = .done
    case releaseOption.name: request.settlement = .released
    default:
      request.settlement = .extended
      request.visibilityTimeout = arguments[extend].map { .init($0) }
    }
    request.marksRead = arguments[markRead]
    guard !request.marksRead || request.settlement == .done else {
      throw UsageError("--mark-read requires --done")
    }
    return request
  }
}

extension TidingsV1.Settlement {
  fileprivate var word: String {
    switch self {
    case .done: "done"
    case .released: "released"
    default: "extended"
    }
  }
}
