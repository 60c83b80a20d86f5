internal import Synchronization
internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// A sender that runs: leases deliveries, sends them, and settles them with what came of it.
///
/// It keeps nothing: what it has leased when it ends is leased to another one later.
package final class Sender: Sendable {
  /// A delivery that is leased to this sender.
  private struct Held: Sendable {
    let delivery: TidingsV1.Delivery
    /// Begun later, it might take longer than its lease.
    let latestStart: ContinuousClock.Instant
  }

  private struct State {
    var hosts = RequestSlots<Held>()
    /// Those that wait for a host count too.
    var users = RequestSlots<Held>()
    /// Deliveries that are leased and not settled.
    var held = 0
    var settlements: [TidingsV1.DeliverySettlement] = []
    var isStopping = false
    /// A call is under way whose answer may be deliveries.
    var isLeasing = false
    var isConnected = true
  }

  private static let settlementsMax = 200
  private static let waitMax = Duration.seconds(30)
  /// How much longer than the server an answer that says nothing is waited for.
  private static let answerPatience = Duration.seconds(10)
  private static let pauseAfterFailure = Duration.seconds(1)
  private static let inFlightPerService = 100

  private let settings: SenderSettings
  private let client: Client
  private let service: TidingsV1.DeliveryService.Client
  private let transfers: Transfers
  private let services: Services
  private let state = Mutex(State())
  private let hasRoom = WakeUp()
  private let hasSettlements = WakeUp()
  private let log: @Sendable (String) -> Void

  private struct Services: Sendable {
    let webhooks = Webhooks()
    let webPush: WebPush?
    let apns: APNS?
    let fcm: FCM?
  }

  private init(
    _ settings: SenderSettings,
    _ client: Client,
    _ log: @escaping @Sendable (String) -> Void
  ) throws {
    (self.settings, self.client, self.log) = (settings, client, log)
    service = .init(client.transport)
    transfers = try Transfers(settings.transfers)
    let transfers = transfers
    services = Services(
      webPush: try settings.vapid.map { try WebPush(key: $0.key, subject: $0.subject) },
      apns: settings.apns.map { APNS($0) },
      fcm: settings.fcm.map { FCM($0, transfers) }
    )
  }

  /// Makes a sender; the server need not be there yet.
  ///
  /// - Parameters:
  ///   - settings: How it runs.
  ///   - log: Takes a line.
  /// - Returns: The sender, which does not run yet.
  /// - Throws: When it cannot run.
  package static func make(
    _ settings: SenderSettings,
    log: @escaping @Sendable (String) -> Void
  ) async throws -> Sender {
    var configuration = ClientConfiguration(endpoints: settings.endpoints)
    configuration.keys = settings.keys
    return try Sender(settings, try await Client(configuration), log)
  }

  /// Sends until it is stopped.
  package func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.leaseAll() }
      group.addTask { await self.settleAll() }
    }
    transfers.stop()
    await client.close()
  }

  /// Leases nothing more; `run` returns when what is under way has ended.
  package func stop() {
    state.withLock { $0.isStopping = true }
    hasRoom.raise()
    hasSettlements.raise()
  }

  // MARK: Leasing

  private func leaseAll() async {
    while true {
      let room = state.withLock { state -> Int? in
        let room = state.isStopping ? nil : settings.inFlightMax - state.held
        state.isLeasing = (room ?? 0) > 0
        return room
      }
      guard let room else { return hasSettlements.raise() }
      guard room > 0 else {
        await hasRoom.wait()
        continue
      }
      do {
        let leased = ContinuousClock.now
        let page = try await service.leaseDeliveries(
          .init(limit: UInt32(room), visibilityTimeout: .init(settings.lease))
        )
        noteConnected()
        begin(
          page.deliveries,
          latestStart: leased + settings.lease - settings.transfers.timeout * 2
        )
        if page.deliveries.isEmpty, !page.moreComing { try await waitForWork(page) }
      } catch {
        noteFailure(error)
        try? await Task.sleep(for: Self.pauseAfterFailure)
      }
    }
  }

  private func waitForWork(_ page: TidingsV1.LeaseDeliveriesResponse) async throws {
    var wait = Self.waitMax
    if let due = page.nextDue {
      // A millisecond more, so that it is due then.
      wait = min(wait, .seconds(due.seconds) + .nanoseconds(Int64(due.nanos)) + .milliseconds(1))
    }
    let request = TidingsV1.AwaitDeliveriesRequest(
      generation: page.generation,
      timeout: .init(wait)
    )
    let options = CallOptions(timeout: wait + Self.answerPatience)
    let waiting = Task { [service] in
      _ = try await service.awaitDeliveries(request, options: options)
    }
    // Stopping does not wait for that.
    let watch = Task { [self] in
      while !Task.isCancelled {
        await hasRoom.wait()
        if state.withLock({ $0.isStopping }) { return waiting.cancel() }
      }
    }
    defer {
      watch.cancel()
      hasRoom.raise()
    }
    do {
      try await waiting.value
    } catch {
      guard !state.withLock({ $0.isStopping }) else { return }
      throw error
    }
  }

  private func begin(_ deliveries: [TidingsV1.Delivery], latestStart: ContinuousClock.Instant) {
    for delivery in deliveries {
      let host = Self.host(of: delivery)
      let max = max(of: delivery)
      let held = Held(delivery: delivery, latestStart: latestStart)
      let decision = state.withLock { state -> RequestSlots<Held>.Decision in
        guard !state.isStopping else {
          state.held += 1
          return .full(.milliseconds(100))
        }
        let user = delivery.userName
        // A host, and a user, takes at most half of what is left to others.
        let queueMax = Swift.max(max, (settings.inFlightMax - state.held) / 2)
        let ofOthers = state.held - state.users.runningCount(user)
        let userMax = Swift.max(1, (settings.inFlightMax - ofOthers) / 2)
        state.held += 1
        let now = ContinuousClock.now
        let share = state.users.add(held, to: user, max: userMax, queueMax: 0, at: now)
        guard share == .start else { return share }
        let decision = state.hosts.add(held, to: host, max: max, queueMax: queueMax, at: now)
        if case .full = decision { _ = state.users.finished(user, after: nil, at: now) }
        return decision
      }
      switch decision {
      case .start: Task { await self.send(held, to: host) }
      case .queued: break
      case .full(let pause): settle(delivery, .postponed(.init(pause)))
      }
    }
  }

  private func send(_ first: Held, to host: String) async {
    var held = first
    while true {
      let started = ContinuousClock.now
      let isLate = started > held.latestStart
      if isLate {
        settle(held.delivery, .postponed(.init(.milliseconds(100))))
      } else {
        await attempt(held.delivery)
      }
      let now = ContinuousClock.now
      let time = isLate ? nil : now - started
      let next = state.withLock { [held] state in
        _ = state.users.finished(held.delivery.userName, after: time, at: now)
        return state.hosts.finished(host, after: time, at: now)
      }
      guard let next else { return }
      held = next
    }
  }

  private func max(of delivery: TidingsV1.Delivery) -> Int {
    switch delivery.address?.kind {
    case .apns, .fcm: Self.inFlightPerService
    default: settings.inFlightPerHost
    }
  }

  private static func host(of delivery: TidingsV1.Delivery) -> String {
    switch delivery.address?.kind {
    case .webhook(let webhook): name(of: webhook.url)
    case .webPush(let push): name(of: push.endpoint)
    case .apns(let apns): apns.isSandbox ? "APNs sandbox" : "APNs"
    case .fcm: "FCM"
    case nil: ""
    }
  }

  /// The host of a URL without its port.
  static func name(of url: String) -> String {
    let origin = WebPush.origin(of: url)
    let authority = origin.firstRange(of: "://").map { origin[$0.upperBound...] } ?? origin[...]
    if authority.hasPrefix("[") { return authority.prefix { $0 != "]" }.lowercased() }
    var host = authority.prefix { $0 != ":" }
    // The root of all names: the same host.
    while host.last == "." { host.removeLast() }
    return host.lowercased()
  }

  // MARK: Sending

  private func attempt(_ delivery: TidingsV1.Delivery) async {
    let service: (any PushService)? =
      switch delivery.address?.kind {
      case .webhook: services.webhooks
      case .webPush: services.webPush
      case .apns: services.apns
      case .fcm: services.fcm
      case nil: nil
      }
    guard let service, let address = delivery.address else {
      // Another sender may have what it takes.
      return settle(
        delivery,
        .postponed(.init(.seconds(60))),
        "no sender is set up for this kind of target"
      )
    }
    let outgoing = Outgoing(delivery)
    var verdict = await verdict(outgoing, address, service)
    if case .again = verdict { verdict = await self.verdict(outgoing, address, service) }
    let attempts = Int(delivery.attemptCount) + 1
    switch verdict {
    case .sent: settle(delivery, .sent(true))
    case .targetGone(let reason):
      log("target \(delivery.targetID) is gone and removed: \(reason)")
      settle(delivery, .targetGone(true), reason)
    case .givenUp(let reason): settle(delivery, .givenUp(true), reason)
    case .again(let reason): retry(delivery, attempts, reason, after: nil)
    case .retry(let reason, let asked): retry(delivery, attempts, reason, after: asked)
    }
  }

  private func retry(
    _ delivery: TidingsV1.Delivery,
    _ attempts: Int,
    _ reason: String,
    after asked: Duration?
  ) {
    let pause = settings.schedule.pause(
      after: attempts,
      asked: asked,
      jitter: .random(in: 0...1)
    )
    settle(delivery, pause.map { .retryAfter(.init($0)) } ?? .givenUp(true), reason)
  }

  private func verdict(
    _ outgoing: Outgoing,
    _ address: TidingsV1.DeliveryAddress,
    _ service: any PushService
  ) async -> Verdict {
    do {
      let request = try await service.request(for: outgoing, to: address)
      guard settings.transfers.allowsHTTP || request.url.lowercased().hasPrefix("https://") else {
        return .givenUp("the URL is not https")
      }
      return await service.verdict(
        on: try await transfers.send(request),
        to: request,
        of: outgoing
      )
    } catch let refusal as Refusal {
      return refusal.verdict
    } catch let failure as TransferFailure {
      return failure.isRefused
        ? .givenUp(failure.description) : .retry(failure.description, after: nil)
    } catch {
      return .givenUp("\(error)")
    }
  }

  // MARK: Settling

  private func settle(
    _ delivery: TidingsV1.Delivery,
    _ outcome: TidingsV1.DeliverySettlement.Outcome,
    _ error: String = ""
  ) {
    state.withLock {
      $0.settlements.append(
        .init(
          leaseID: delivery.leaseID,
          outcome: outcome,
          error: String(error.prefix(400)),
          targetAdded: delivery.targetAdded
        )
      )
    }
    hasSettlements.raise()
  }

  private func settleAll() async {
    while true {
      let (batch, isOver) = state.withLock { state in
        let batch = Array(state.settlements.prefix(Self.settlementsMax))
        state.settlements.removeFirst(batch.count)
        return (batch, state.isStopping && !state.isLeasing && state.held == 0)
      }
      guard !batch.isEmpty else {
        if isOver { return }
        await hasSettlements.wait()
        continue
      }
      await settle(batch)
      state.withLock { $0.held -= batch.count }
      hasRoom.raise()
    }
  }

  /// Settles a batch, however often it takes: what could not be settled would be sent again.
  ///
  /// One that the server refuses is cut in halves, until what it refuses is alone.
  private func settle(_ batch: [TidingsV1.DeliverySettlement]) async {
    var ends = ContinuousClock.now.advanced(by: settings.lease)
    while true {
      do {
        let answer = try await service.settleDeliveries(.init(settlements: batch))
        if answer.lostCount > 0 {
          log("\(answer.lostCount) deliveries took longer than their lease and are sent again")
        }
        return noteConnected()
      } catch  where error.isAboutTheBatch {
        guard batch.count > 1 else { return log("a settlement was refused: \(error)") }
        await settle(Array(batch[..<(batch.count / 2)]))
        return await settle(Array(batch[(batch.count / 2)...]))
      } catch {
        noteFailure(error)
        if state.withLock({ $0.isStopping }) { ends = min(ends, .now + .seconds(5)) }
        // Their leases have ended by then.
        guard ContinuousClock.now < ends else { return }
        try? await Task.sleep(for: Self.pauseAfterFailure)
      }
    }
  }

  // MARK: Log

  private func noteConnected() {
    let wasConnected = state.withLock { state in
      defer { state.isConnected = true }
      return state.isConnected
    }
    if !wasConnected { log("the server answers again") }
  }

  private func noteFailure(_ error: any Error) {
    let (wasConnected, isStopping) = state.withLock { state in
      defer { state.isConnected = false }
      return (state.isConnected, state.isStopping)
    }
    if wasConnected, !isStopping { log("calling the server failed, and is tried again: \(error)") }
  }
}

extension RPCError {
  /// The same batch would be refused again; what is refused for a while says how long.
  fileprivate var isAboutTheBatch: Bool {
    retryAfter == nil
      && [.invalidArgument, .resourceExhausted, .failedPrecondition, .outOfRange].contains(code)
  }
}

extension GoogleProtobuf.Duration {
  fileprivate init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.init(seconds: seconds, nanos: Int32(attoseconds / 1_000_000_000))
  }
}
