internal import CommandLineTools
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC

extension Verb {
  private static let exec = OptionKey<String?>(
    "exec",
    value: "COMMAND",
    "Run it for each, with the JSON on its standard input."
  )
  private static let markRead = OptionKey<Bool>(flag: "mark-read", "Also mark read what is done.")
  private static let count = OptionKey<Int?>(
    "count",
    value: "N",
    in: 1...Int(Int32.max),
    "End with 0 after so many notifications that are done."
  )
  private static let timeoutEach = OptionKey<Duration?>(
    time: "timeout-each",
    "Ask a command that lasts longer to end (SIGTERM)."
  )

  static let work = Verb(
    command: Command(
      "work",
      "Shares the work on notifications: leases them one by one and runs a command for each.",
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
        Any number of devices may work in one group: each notification goes to one of them at a time.
        A command that ends with 0 is done with it. One that fails gives it back: it is handed out
        again, to this device or another, with a `deliveryCount` that rises by 1; at once after its
        first failure, later after 2, 4, 8 … 300 seconds, so that one that always fails hinders no
        others. The worker too pauses before its next one, longer after each failure in a row. While a
        command runs, its lease is kept. A worker that dies loses its lease, and another one gets the
        notification: a command may see one twice, so let it be harmless to repeat.

        The command reads the JSON that `notifications lease` prints, from its standard input; what it
        prints goes where the worker's own output would. Interrupted (130), the worker gives back what
        it has. `--timeout TIME` on the command line ends it after that time: with 3 if --count was not
        reached, otherwise with 0.

        Examples:
          rpcctl --device w1 work --group thumbnails --exec ./make-thumbnail --visibility 2m
          rpcctl --device w2 work --group mail --from-now --exec 'mail -s News ada' --mark-read
        """
    ),
    dryRun: .refused("it would have to lease what it tells about"),
    run: { invocation in
      try invocation.refuseOperands()
      let arguments = invocation.arguments
      guard let command = try arguments.nonEmpty(exec) else {
        throw UsageError("--exec COMMAND is needed: it does the work")
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
      try await requireServer(session, invocation)
      Interruption.heed()
      if invocation.output.format == .table { invocation.output.tell("working; Ctrl-C ends") }
      let done = try await withTimeLimit(limit) { [worker] progress in
        try await worker.run(session, countMax: count, progress)
      }.count
      if Task.isCancelled { throw Interrupted() }
      guard let count, done < count else { return .success }
      throw ConditionNotMet("the time is over: \(done) of \(count) notifications are done")
    }
  )
}

/// Leases notifications one by one, and runs a command for each.
struct Worker: Sendable {
  /// How long the server is left alone when it has nothing: new notifications are not announced to
  /// groups.
  private static let idlePause = Duration.seconds(1)
  /// The pause after the first failure; each further one in a row doubles it.
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
        let when = delay.map { ", again in \($0.shortText)" } ?? ""
        invocation.output.tell("rpcctl: \(failure); \(id) is given back\(when)")
        // A lease that nobody keeps is a delay.
        try await settle(leased, delay == nil ? .released : .extended, for: delay, client)
        try await Task.sleep(for: pause)
        pause = min(pause * 2, Self.longestPause)
      } catch  where Task.isCancelled {
        // The task is cancelled: what tells the server must not be.
        await Task { try? await settle(leased, .released, client) }.value
        throw Interrupted()
      }
    }
  }

  /// When to ask again after an answer without notifications.
  private static func wait(_ answer: TidingsV1.LeaseNotificationsResponse) -> Duration {
    guard let expiry = answer.nextExpiry else { return idlePause }
    let time = Duration.seconds(expiry.seconds) + .nanoseconds(Int64(expiry.nanos))
    return max(.milliseconds(50), min(time, idlePause))
  }

  private var callOptions: CallOptions {
    // A limit on the command line is one on the work.
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

  /// Runs the command, and keeps the lease meanwhile.
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
      invocation.output.tell("rpcctl: the lease of \(id) is not settled: \(error.text)")
    }
  }
}
