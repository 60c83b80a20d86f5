internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

/// Devices of a user share the work on notifications: all of it is done, by one of them each.
@Suite(.endsServers) struct NotificationWorkersTests {
  private func save(_ range: Range<Int>, with client: Client) async throws {
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 100) {
      let end = min(start + 100, range.upperBound)
      let results = try await client.modify((start..<end).map { .init("Jobs", "r\($0)") })
      #expect(results.allSatisfy { $0.record != nil })
    }
  }

  private func names(_ range: Range<Int>) -> Set<String> { Set(range.map { "r\($0)" }) }

  /// A worker on a task of its own, which notes what it has done.
  private func worker(
    _ client: Client,
    _ done: Observed<[String]>,
    timeout: Duration = .seconds(3600),
    concurrency: Int = 3
  ) -> Task<Void, any Error> {
    Task {
      try await client.notificationWorkers(
        group: "jobs",
        visibilityTimeout: timeout,
        concurrency: concurrency
      ).workOnEach { lease in
        let name = lease.notification.recordID?.recordName ?? ""
        done.update { $0.append(name) }
      }
    }
  }

  /// Waits until the group's one lease lasts so many seconds from now on.
  private func waitForExtension(to seconds: Int64, _ other: Client) async throws {
    try await waitUntil("the lease to be extended", pausing: .milliseconds(20)) {
      let page = try await other.notifications.leaseNotifications(.init(group: "jobs"))
      try #require(page.notifications.isEmpty, "it ended")
      return try #require(page.nextExpiry).seconds >= seconds
    }
  }

  @Test("three devices do everything once between them, own changes too, and wait for more")
  func share() async throws {
    let server = try await TestServer.start()
    let devices = try await [
      server.client(as: "ada", device: "one"), server.client(as: "ada", device: "two"),
      server.client(as: "ada", device: "three"),
    ]
    try await devices[0].subscribe(.init("all", "Jobs"))
    try await save(0..<150, with: devices[0])
    let done = Observed<[String]>([])
    let workers = devices.map { worker($0, done) }
    try await done.wait("the first", for: .seconds(600)) { $0.count >= 150 }
    // They wait now, for pushes.
    for number in 150..<170 { try await save(number..<number + 1, with: devices[number % 3]) }
    try await done.wait("the last", for: .seconds(600)) { $0.count >= 170 }
    for worker in workers {
      worker.cancel()
      try await worker.value
    }
    #expect(done.value.count == 170)
    #expect(Set(done.value) == names(0..<170))
  }

  @Test("a device that crashes amid its work, and a server that does, lose no work")
  func crashes() async throws {
    var server = try await TestServer.startLasting()
    let device = try await server.client(as: "ada", device: "saver")
    try await device.subscribe(.init("all", "Jobs"))
    try await save(0..<60, with: device)

    // The one that will crash takes work and never comes back: its leases end.
    let lost = try await device.notifications.leaseNotifications(
      .init(group: "jobs", limit: 7, visibilityTimeout: .init(seconds: 1))
    ).notifications
    #expect(lost.map(\.notification?.recordID?.recordName) == (0..<7).map { "r\($0)" })

    let done = Observed<[String]>([])
    let workers = try await [
      worker(server.client(as: "ada", device: "one"), done, timeout: .seconds(2)),
      worker(server.client(as: "ada", device: "two"), done, timeout: .seconds(2)),
    ]
    try await done.wait("some work", for: .seconds(600)) { $0.count >= 20 }
    try await server.crash()
    server = try await server.restarted()
    try await save(60..<90, with: device)
    try await done.wait("all work", for: .seconds(600)) { Set($0) == names(0..<90) }
    for worker in workers {
      worker.cancel()
      try await worker.value
    }
    // What was done is done for good.
    let rest = try await device.notifications.leaseNotifications(.init(group: "jobs"))
    #expect(rest.notifications.isEmpty)
    // Who was away for too long learns that somebody else did it.
    let late = try await device.notifications.settleNotifications(
      .init(group: "jobs", leaseIDs: lost.map(\.leaseID), settlement: .done)
    ).results
    for result in late {
      guard case .error(let error)? = result.outcome else {
        Issue.record("settled: \(result)")
        continue
      }
      #expect(error.code == .unknownItem && error.message.contains("device '"))
    }
  }

  @Test("work that takes longer than the lease keeps it; work that fails is handed out again")
  func longAndFailing() async throws {
    let clock = try ClockFault()
    let server = try await TestServer.start(environment: clock.environment)
    let first = try await server.client(as: "ada", device: "one")
    let second = try await server.client(as: "ada", device: "two")
    try await first.subscribe(.init("all", "Jobs"))
    try await save(0..<1, with: first)

    // For the server only so much time passes as the device has time to extend its lease.
    try clock.holdUptime()
    var iterator = first.notificationWorkers(group: "jobs", visibilityTimeout: .seconds(3))
      .makeAsyncIterator()
    let lease = try #require(try await iterator.next())
    #expect(lease.isOwnChange)
    for _ in 0..<3 {
      try clock.passUptime(.seconds(2))
      // The turn that answers this may have begun before; the next one sees that time.
      _ = try await second.health.check(.init())
      try await waitForExtension(to: 3, second)
    }
    try await lease.release()
    try clock.releaseUptime()

    let counts = Observed<[Int]>([])
    struct Failure: Error {}
    let worker = Task {
      try await second.notificationWorkers(group: "jobs").workOnEach { lease in
        let count = counts.update {
          $0.append(lease.deliveryCount)
          return $0.count
        }
        if count == 1 { throw Failure() }
      }
    }
    try await counts.wait("the second try", for: .seconds(600)) { $0.count == 2 }
    #expect(counts.value[0] >= 2 && counts.value[1] == counts.value[0] + 1)
    worker.cancel()
    try await worker.value
  }

  @Test("what a device gives back is handed to one that waits, before the lease would have ended")
  func givenBack() async throws {
    var server = try await TestServer.startLasting()
    var first = try await server.client(as: "ada", device: "one")
    try await first.subscribe(.init("all", "Jobs"))
    try await save(0..<1, with: first)
    let taken = try await first.notifications.leaseNotifications(
      .init(group: "jobs", visibilityTimeout: .init(seconds: 3600))
    ).notifications
    // No push of the save is repeated afterwards.
    try await server.crash()
    server = try await server.restarted()
    first = try await server.client(as: "ada", device: "one")
    let looks = Observed(0)
    var configuration = ClientConfiguration(endpoint: server.rpcEndpoint)
    (configuration.user, configuration.device) = ("ada", "two")
    configuration.reconcileInterval = .seconds(3600)
    configuration.observer = { frames in
      guard case .received(_, let body) = frames,
        let page = try? TidingsV1.LeaseNotificationsResponse(decoding: body),
        page.notifications.isEmpty, page.nextExpiry != nil
      else { return }
      looks.update { $0 += 1 }
    }
    let done = Observed<[String]>([])
    let worker = worker(try await Client(configuration), done)
    // It has looked before it listened, and after that.
    try await looks.wait("a look at the group") { $0 >= 2 }
    let settled = try await first.notifications.settleNotifications(
      .init(group: "jobs", leaseIDs: taken.map(\.leaseID), settlement: .released)
    )
    #expect(settled.results.map(\.outcome) == [.settled(true)])
    try await done.wait("the work") { $0 == ["r0"] }
    worker.cancel()
    try await worker.value
  }

  @Test("a lease that another device has is lost: the work on it is cancelled, and cannot be done")
  func lostLease() async throws {
    let server = try await TestServer.start()
    let first = try await server.client(as: "ada", device: "one")
    try await first.subscribe(.init("all", "Jobs"))
    try await save(0..<1, with: first)
    let started = Observed<[String]>([])
    let failures = Observed<[String]>([])
    let worker = Task {
      try await first.notificationWorkers(
        group: "jobs",
        visibilityTimeout: .seconds(12)
      ).workOnEach(onFailure: { _, error in failures.update { $0.append("\(error)") } }) { lease in
        started.update { $0.append(lease.notification.notificationID) }
        // It never ends by itself: the work is cancelled.
        try await Task.sleep(for: .seconds(3600))
      }
    }
    let id = try await started.wait("the work", for: .seconds(600)) { !$0.isEmpty }[0]
    // Somebody gives it back in this device's name, and another takes it.
    let twin = try await server.client(as: "ada", device: "one")
    let second = try await server.client(as: "ada", device: "two")
    let stolen = try await second.notifications.settleNotifications(
      .init(group: "jobs", leaseIDs: ["1-\(id)-1"], settlement: .released)
    )
    guard case .error(let error)? = stolen.results.first?.outcome else {
      throw WaitingFailure(description: "settled by another device: \(stolen)")
    }
    #expect(error.code == .unknownItem)
    _ = try await twin.notifications.settleNotifications(
      .init(group: "jobs", leaseIDs: ["1-\(id)-1"], settlement: .released)
    )
    let other = try await second.notifications.leaseNotifications(
      .init(group: "jobs", visibilityTimeout: .init(seconds: 3600))
    )
    #expect(other.notifications.map(\.leaseID) == ["1-\(id)-2"])
    // Which one it is reported depends on whether it asks before the other device did.
    let reasons = ["device 'two'", "was given back"]
    try await failures.wait("the loss", for: .seconds(600)) { messages in
      messages.contains { $0.contains("Cancellation") }
        && messages.contains { message in reasons.contains { message.contains($0) } }
    }
    worker.cancel()
    try await worker.value
  }

  @Test("a request that is wrong is refused as a whole, and ends the iteration")
  func refusals() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada", device: "one")
    let nobody = try await server.client(as: "")
    let calls: [(String, () async throws -> Void)] = [
      ("group", { _ = try await client.notifications.leaseNotifications(.init()) }),
      (
        "timeout",
        {
          _ = try await client.notifications.leaseNotifications(
            .init(group: "g", visibilityTimeout: .init(seconds: .max, nanos: -1))
          )
        }
      ),
      (
        "settlement",
        {
          _ = try await client.notifications.settleNotifications(
            .init(group: "g", leaseIDs: ["1-1-1-1"])
          )
        }
      ),
      ("user", { _ = try await nobody.notifications.leaseNotifications(.init(group: "g")) }),
    ]
    for (word, call) in calls {
      let error = await failure(call)
      #expect([.invalidArgument, .unauthenticated].contains(error?.code), "\(word)")
      #expect(error?.message.contains(word) == true, "\(word): \(String(describing: error))")
    }
    let error = await failure {
      for try await _ in client.notificationWorkers(group: "g", visibilityTimeout: .zero) {}
    }
    #expect(error?.code == .invalidArgument)
  }
}
