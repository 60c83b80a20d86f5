internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  private static let exec = OptionKey<String?>(
    "exec",
    value: "COMMAND",
    "The command to run for each notification, with its JSON on standard input."
  )
  private static let markRead = OptionKey<Bool>(
    flag: "mark-read",
    "Mark completed notifications read, too."
  )
  private static let count = OptionKey<Int?>(
    "count",
    value: "N",
    in: 1...Int(Int32.max),
    "Exit with 0 after N completed notifications."
  )
  private static let timeoutEach = OptionKey<Duration?>(
    time: "timeout-each",
    "Send SIGTERM to a command that runs longer."
  )

  static let work = Verb(
    command: Command(
      "work",
      "Process notifications as a worker of a group: lease each and run a command for it.",
      options: [Option](
        of: groupOption,
        exec,
        visibilityOption,
        fromNowOption,
        markRead,
        count,
        timeoutEach
      ),
      discussion: """
        Any number of devices may work in one group: each notification is delivered to one of them at a
        time. If the command exits with 0, the notification is completed. If it fails, the notification is
        released and delivered again, to this device or another, with a `deliveryCount` that increases by
        1: at once after the first failure, then after 2, 4, 8 … 300 seconds, so that one that always
        fails does not block others. The worker also pauses after failures, longer after each in a row.
        The lease is renewed while the command runs. If a worker dies, its lease expires and another
        worker gets the notification, so commands must be idempotent.

        The command reads the JSON of `notifications lease` on standard input; its output is passed
        through. When interrupted (130), the worker releases its lease. An explicit `--timeout TIME` ends
        it after that time: with 3 if --count was not reached, otherwise with 0.

        Examples:
          rpcctl --device w1 work --group thumbnails --exec ./make-thumbnail --visibility 2m
          rpcctl --device w2 work --group mail --from-now --exec 'mail -s Changes ada' --mark-read
        """
    ),
    dryRun: .refused("it must lease notifications to show them"),
    run: { invocation in
      try invocation.refuseOperands()
      let arguments = invocation.arguments
      guard let command = arguments[exec] else {
        throw UsageError("no command: set --exec COMMAND")
      }
      let count = arguments[count]
      let limit =
        arguments.given(.timeout)
      var worker = Worker(
        group: try group(arguments),
        command: ShellCommand(command),
        visibility: arguments[visibilityOption] ?? .seconds(30),
        invocation: invocation
      )
      worker.startsAtEnd = arguments[fromNowOption]
      worker.marksRead = arguments[markRead]
      worker.commandTimeMax = arguments[timeoutEach]
      let session = try await invocation.connect()
      Interruption.enableCancellation()
      if invocation.output.format == .table {
        invocation.output.log("working; press Ctrl-C to stop")
      }
      let output = invocation.output
      let done = try await withTimeLimit(limit) { [worker] progress in
        try await ConnectionWait(session, output).end(within: nil)
        try await worker.run(session, countMax: count, progress)
      }.count
      if Task.isCancelled { throw Interrupted() }
      guard let count, done < count else { return .success }
      throw ConditionNotMet("timed out: \(done) of \(count) notifications completed")
    }
  )
}

/// Leases notifications one by one, and runs a command for each.
struct Worker: Sendable {
  /// The polling interval when nothing is available: new notifications are not pushed to groups.
  private static let idlePause = Duration.seconds(1)
  /// The pause after the first failure; each further failure in a row doubles it.
  private static let failurePause = Duration.milliseconds(500)
  private static let longestPause = Duration.seconds(30)

  let group: String
  let command: ShellCommand
  let visibility: Duration
  let invocation: Invocation
  var startsAtEnd = false
  var marksRead = false
  var commandTimeMax: Duration?

  init(group: String, command: ShellCommand, visibility: Duration, invocation: Invocation) {
    self.group = group
    self.command = command
    self.visibility = visibility
    self.invocation = invocation
  }

  /// Works until enough is done, or the task is cancelled.
  func run(_ session: Session, countMax: Int?, _ progress: WatchProgress) async throws {
    let client = TidingsV1.NotificationService.Client(session.transport)
    var pause = Self.failurePause
    while !Task.isCancelled {
      let answer = try await untilAnswered {
        try await client.leaseNotifications(leaseRequest, options: callOptions)
      }
      guard let leased = answer.notifications.first else {
        try await Task.sleep(for: Self.wait(answer))
        continue
      }
      do {
        try await work(on: leased, client)
        try await settle(leased, .done, client)
        pause = Self.failurePause
        progress.advance()
        if progress.count == countMax { return }
      } catch let failure as CommandFailure where !Task.isCancelled {
        let id = leased.notification?.notificationID ?? ""
        let delay = NotificationWorkers.pause(after: Int(leased.deliveryCount))
        let when = delay.map { ", retried in \($0.shortText)" } ?? ""
        invocation.output.log("rpcctl: \(failure); \(id) was released\(when)")
        // An abandoned lease delays the notification.
        try await settle(leased, delay == nil ? .released : .extended, for: delay, client)
        try await Task.sleep(for: pause)
        pause = min(pause * 2, Self.longestPause)
      } catch  where Task.isCancelled {
        // The task is cancelled, but this call to the server must not be.
        await Task { try? await settle(leased, .released, client) }.value
        throw Interrupted()
      }
    }
  }

  /// Returns when to poll again after an empty response.
  private static func wait(_ answer: TidingsV1.LeaseNotificationsResponse) -> Duration {
    guard let expiry = answer.nextExpiry else { return idlePause }
    let time = Duration.seconds(expiry.seconds) + .nanoseconds(Int64(expiry.nanos))
    return max(.milliseconds(50), min(time, idlePause))
  }

  private var callOptions: CallOptions {
    // An explicit time limit applies to the work, not to calls.
    CallOptions(
      timeout: invocation.arguments.isGiven(.timeout) ? .seconds(10) : invocation.settings.timeout
    )
  }

  private var leaseRequest: TidingsV1.LeaseNotificationsRequest {
    .init(
      container: invocation.settings.container,
      environment: invocation.settings.environment,
      group: group,
      limit: 1,
      visibilityTimeout: .init(visibility),
      startsAtEnd: startsAtEnd
    )
  }

  /// Runs the command, and renews the lease meanwhile.
  private func work(
    on leased: TidingsV1.LeasedNotification,
    _ client: TidingsV1.NotificationService.Client
  ) async throws {
    let input = try LeaseJSON.json(leased).text() + [UInt8(ascii: "\n")]
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await command.run(input, timeMax: commandTimeMax) }
      group.addTask {
        while true {
          try await Task.sleep(for: visibility / 3)
          try await settle(leased, .extended, client)
        }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func settle(
    _ leased: TidingsV1.LeasedNotification,
    _ settlement: TidingsV1.Settlement,
    for time: Duration? = nil,
    _ client: TidingsV1.NotificationService.Client
  ) async throws {
    let request = TidingsV1.SettleNotificationsRequest(
      container: invocation.settings.container,
      environment: invocation.settings.environment,
      group: group,
      leaseIDs: [leased.leaseID],
      settlement: settlement,
      marksRead: marksRead && settlement == .done,
      visibilityTimeout: settlement == .extended ? .init(time ?? visibility) : nil
    )
    let answer = try await untilAnswered {
      try await client.settleNotifications(request, options: callOptions)
    }
    for case .error(let error)? in answer.results.map(\.outcome) where settlement != .extended {
      let id = leased.notification?.notificationID ?? ""
      invocation.output.log("rpcctl: the lease of \(id) was not settled: \(error.text)")
    }
  }
}
