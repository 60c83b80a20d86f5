internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Checks of the server, one after the other; what needs one that failed is skipped.
struct ServerChecks: Sendable {
  private static let pushTimeMax = Duration.seconds(10)

  let invocation: Invocation
  let recordType: String
  /// The type may be new: development learns it.
  let isTypeGiven: Bool
  /// Hears of each diagnosis as soon as it is made.
  let tell: @Sendable (Diagnosis) -> Void

  func run() async throws {
    if let refusal = invocation.settings.refusal {
      tell(.skipped("server", "nothing to connect with: \(refusal)"))
      return
    }
    let session = try await invocation.connect()
    guard try await reach(session) else { return }
    await look(session)
  }

  /// Whether the server is there, serves, and lets the caller in.
  private func reach(_ session: Session) async throws -> Bool {
    let endpoint = invocation.settings.client.endpoint
    let start = ContinuousClock.now
    do {
      let health = try await TidingsRpcV1.HealthService.Client(session.transport)
        .check(.init(), options: invocation.callOptions)
      let time = ContinuousClock.now - start
      guard health.status == .serving else {
        tell(
          .problem(
            "server",
            "\(endpoint) answers, and refuses calls",
            "It is stopping: see its log, and start it again."
          )
        )
        return false
      }
      let key =
        invocation.settings.client.keys == nil ? "" : ", and proved that it has the server key"
      tell(.ok("server", "\(endpoint) answers after \(time.shortText)\(key)"))
      return true
    } catch let error where error.code == .unavailable || error.code == .deadlineExceeded {
      tell(
        .problem(
          "server",
          error.message,
          "Is rpcd running there, can this machine reach it, and is --server-key the key of that server?"
        )
      )
      return false
    } catch {
      tell(
        .problem(
          "server",
          "\(error)",
          "Is the key admitted? `rpcctl keys list` tells an administrator."
        )
      )
      return false
    }
  }

  private func look(_ session: Session) async {
    do {
      let info = try await TidingsRpcV1.ServerService.Client(session.transport)
        .fetchServerInfo(.init(), options: invocation.callOptions)
      tell(ServerJudgements.version(client: Program.version, server: info.version))
      tell(
        .ok(
          "mode",
          info.developmentMode
            ? "development: callers are believed who they say they are"
            : "callers prove who they are with keys"
        )
      )
    } catch {
      tell(
        .problem("version", "\(error)", "The server is too old, or does not let the caller ask.")
      )
    }
    var (hasAccount, mayTeach) = (false, true)
    do {
      let account = try await TidingsV1.AccountService.Client(session.transport)
        .fetchAccountStatus(.init(), options: invocation.callOptions)
      hasAccount = account.status == .available
      mayTeach = invocation.settings.client.keys == nil || isDeveloper(account.roles)
      for diagnosis in ServerJudgements.account(account, now: wallClock()) { tell(diagnosis) }
    } catch {
      tell(.problem("account", "\(error)", "Ask an administrator: `rpcctl audit` tells why."))
    }
    await lookAtPushes(session, hasAccount: hasAccount, mayTeach: mayTeach)
  }

  /// Whether the roles are among those whose saves add record types.
  private func isDeveloper(_ roles: [String]) -> Bool {
    let container = invocation.settings.container
    let name = container.isEmpty ? "default" : container
    return !Set(roles).isDisjoint(with: ["admin", "developer", "\(name)/developer"])
  }

  /// The clock and the pushes: both need a record to be saved.
  private func lookAtPushes(_ session: Session, hasAccount: Bool, mayTeach: Bool) async {
    let reason =
      !hasAccount
      ? "without an account nothing is pushed"
      : !mayTeach && !isTypeGiven
        ? "only developers' saves add record types: --type names one that the schema has"
        : invocation.settings.environment == .production && !isTypeGiven
          ? "production learns no types: --type names one that it has" : nil
    if let reason {
      tell(.skipped("clock", reason))
      tell(.skipped("push", reason))
      return
    }
    var own = invocation
    own.settings.scope = .private
    do {
      try await TemporaryZone.with("rpcctl-doctor", own, session) { zone in
        try await lookAtClock(zone)
        try await lookAtPush(zone, session)
      }
    } catch {
      tell(
        .problem(
          "push",
          "a zone of the own to try it in: \(error)",
          "The account may not write: see `rpcctl account`."
        )
      )
    }
  }

  private func record(_ name: String, in zone: TemporaryZone) -> TidingsV1.Record {
    .init(recordID: .init(recordName: name, zoneID: zone.id), recordType: recordType)
  }

  private func lookAtClock(_ zone: TemporaryZone) async throws {
    let before = wallClock()
    let saved = try await zone.save([record("clock", in: zone)])
    if let saved {
      tell(ServerJudgements.clock(server: saved, before: before, after: wallClock()))
    } else {
      tell(.skipped("clock", "the server does not say when it saved a record"))
    }
  }

  private func lookAtPush(_ zone: TemporaryZone, _ session: Session) async throws {
    try await zone.withSubscription(to: recordType, invocation, session) { start in
      try await lookAtPush(zone, session.notifications(start) { _ in })
    }
  }

  private func lookAtPush(_ zone: TemporaryZone, _ source: any NotificationSource) async throws {
    try await PushWaiter.with([source], subscriptionID: zone.id.zoneName) { waiter in
      // The first may still come from the log; the second comes by push, or much later.
      var time = Duration.zero
      for name in ["first", "second"] {
        waiter.expect(name)
        let begin = ContinuousClock.now
        try await zone.save([record(name, in: zone)])
        guard await waiter.arrival(of: name, timeout: Self.pushTimeMax) else {
          tell(
            .problem(
              "push",
              "a notification did not come within \(Self.pushTimeMax.shortText)",
              "Can this machine reach the push endpoint? rpcd --advertise-push says what clients are told."
            )
          )
          return
        }
        time = .now - begin
      }
      tell(.ok("push", "a notification came \(time.shortText) after its record was sent"))
    }
  }
}
