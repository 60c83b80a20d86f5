internal import Synchronization
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Follows the notification log of the user, page by page.
final class LogFollower: Sendable {
  private let stage: Stage
  /// How the IDs of the run's subscriptions begin.
  private let prefix: String
  private let token = Mutex<[UInt8]>([])
  private let newest = Mutex<[String: Int64]>([:])

  /// The newest number of each subscription that was read.
  var numbers: [String: Int64] { newest.withLock(\.self) }

  init(_ stage: Stage, prefix: String) {
    self.stage = stage
    self.prefix = prefix
  }

  /// Finds the end of the log.
  ///
  /// - Returns: Its token.
  /// - Throws: `RPCError`; `CheckError` when it has no end.
  func begin() async throws -> [UInt8] {
    while true {
      let start = token.withLock(\.self)
      let page = try await stage.insist { client in
        try await self.page(client, after: start, limit: 0)
      }
      token.withLock { $0 = page.changeToken }
      if !page.moreComing { return page.changeToken }
      if page.changeToken == start { throw CheckError("the log has no end: its token stays") }
    }
  }

  /// Reads the next page.
  func readPage(_ process: inout LogicalProcess) async throws -> Call {
    let start = token.withLock(\.self)
    let limit = 1 + process.random.below(10)
    var (call, next) = (Call(.log, SubscriptionCheck.log), start)
    call.token = start.hexadecimal
    call = try await process.make(call) { [self] client, call in
      let page = try await self.page(client, after: start, limit: limit)
      next = page.changeToken
      call.nextToken = next.hexadecimal
      call.isLast = !page.moreComing
      call.notices = page.notifications.map(Notice.init)
        .filter { $0.subscription.hasPrefix(prefix) }
      note(call.notices)
      commitFaults(&call.notices)
    }
    if call.outcome == .ok { token.withLock { [next] in $0 = next } }
    return call
  }

  private func note(_ notices: [Notice]) {
    newest.withLock { numbers in
      for notice in notices {
        numbers[notice.subscription] = max(notice.number, numbers[notice.subscription] ?? 0)
      }
    }
  }

  private func page(
    _ client: Client,
    after token: [UInt8],
    limit: Int
  ) async throws -> TidingsV1.FetchNotificationChangesResponse {
    let notifications = client.notifications
    let request = TidingsV1.FetchNotificationChangesRequest(
      container: stage.settings.client.container,
      environment: stage.settings.client.environment,
      changeToken: token,
      omitsReadNotifications: true
    )
    return try await client.pageLimits.page(of: UInt32(limit)) { limit throws(RPCError) in
      var request = request
      request.limit = limit
      return try await notifications.fetchNotificationChanges(request)
    }
  }

  private func commitFaults(_ notices: inout [Notice]) {
    guard let first = notices.first else { return }
    if let other = notices.dropFirst().firstIndex(where: { $0.subscription == first.subscription }),
      stage.faults.isDue(.reordered)
    {
      notices.swapAt(0, other)
    }
    if stage.faults.isDue(.lostNotification) { notices.removeFirst() }
    if let index = notices.firstIndex(where: { $0.subscription.hasSuffix("-low") }),
      notices[index].reason == "created", stage.faults.isDue(.wrongSubscription)
    {
      notices[index].subscription = prefix + "high"
    }
  }
}
