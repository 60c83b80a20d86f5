internal import TidingsClient
internal import TidingsProto

/// Leases and settles notifications of a group, and records the calls.
struct WorkGroup: Sendable {
  /// The name of the group: the same for all runs, since a server keeps groups.
  private static let name = "tidings-check"

  private let stage: Stage
  /// Whose notifications are work.
  let subscription: String

  init(_ stage: Stage, subscription: String) {
    self.stage = stage
    self.subscription = subscription
  }

  /// Creates the group, if it is not there.
  func create() async throws {
    _ = try await stage.insist { client in
      try await client.notifications.leaseNotifications(request(limit: 1, seconds: 1))
    }
  }

  private func request(limit: Int, seconds: Int) -> TidingsV1.LeaseNotificationsRequest {
    .init(
      container: stage.settings.client.container,
      environment: stage.settings.client.environment,
      group: Self.name,
      limit: UInt32(limit),
      visibilityTimeout: .init(seconds: Int64(seconds)),
      startsAtEnd: true
    )
  }

  /// Leases some notifications for one or two seconds.
  ///
  /// - Returns: The call; it is the last one if nothing was returned and nothing is leased.
  func lease(_ client: Client, _ process: inout LogicalProcess) async throws -> Call {
    var call = Call(.lease, Self.name)
    let (limit, seconds) = (1 + process.random.below(4), 1 + process.random.below(2))
    call.milliseconds = Int64(seconds) * 1000
    call = try await process.make(call, with: client) { [self] client, call in
      let answer = try await client.notifications.leaseNotifications(
        request(limit: limit, seconds: seconds)
      )
      call.isLast = answer.notifications.isEmpty && answer.nextExpiry == nil
      call.notices = answer.notifications.map { leased in
        var notice = Notice(leased.notification ?? .init())
        notice.lease = leased.leaseID
        notice.deliveryCount = Int64(leased.deliveryCount)
        return notice
      }
    }
    share(call)
    return call
  }

  /// Settles one lease.
  @discardableResult
  func settle(
    _ notice: Notice,
    _ manner: String,
    _ client: Client,
    _ process: inout LogicalProcess
  ) async throws -> Call {
    var call = Call(.settle, Self.name)
    call.manner = manner
    call.notices = [notice]
    if manner == Call.extended { call.milliseconds = 1000 }
    call = try await process.make(call, with: client) { [stage] client, call in
      let result = try await client.notifications.settleNotifications(
        .init(
          container: stage.settings.client.container,
          environment: stage.settings.client.environment,
          group: Self.name,
          leaseIDs: [notice.lease],
          settlement: manner == Call.done ? .done : manner == Call.released ? .released : .extended,
          visibilityTimeout: manner == Call.extended ? .init(seconds: 1) : nil
        )
      ).results.first
      if case .error(let error)? = result?.outcome { call.fail(error) }
    }
    repeatSettlement(call)
    return call
  }

  private func share(_ call: Call) {
    guard let notice = call.notices.first, notice.subscription == subscription,
      call.end - call.begin < call.milliseconds * 500_000, stage.faults.isDue(.sharedLease)
    else { return }
    var other = Call(.lease, call.subject)
    other.process = stage.recorder.newProcess()
    (other.begin, other.end, other.milliseconds) = (call.end, call.end, call.milliseconds)
    other.notices = [notice]
    other.notices[0].lease += "-shared"
    other.notices[0].deliveryCount += 1
    stage.recorder.add(other)
  }

  private func repeatSettlement(_ call: Call) {
    guard call.manner == Call.done, call.outcome == .ok, stage.faults.isDue(.settledTwice) else {
      return
    }
    var other = call
    other.process = stage.recorder.newProcess()
    other.notices[0].lease += "-again"
    stage.recorder.add(other)
  }
}
