internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Checks of the server, in order; a failed check skips those that depend on it.
struct ServerChecks: Sendable {
  private static let pushTimeMax = Duration.seconds(10)

  let invocation: Invocation
  let recordType: String
  /// `--type` is given; otherwise the type may be new, and development adds it to the schema.
  let isTypeGiven: Bool
  /// Reports each diagnosis at once.
  let report: @Sendable (Diagnosis) -> Void

  func run() async throws {
    if let refusal = invocation.settings.refusal {
      report(.skipped("server", "cannot connect: \(refusal)"))
      return
    }
    let session = try await invocation.connect()
    guard try await reach(session) else { return }
    await check(session)
  }

  /// Returns whether the server is reachable, is serving, and admits the caller.
  private func reach(_ session: Session) async throws -> Bool {
    let endpoint = invocation.settings.endpointsText
    let start = ContinuousClock.now
    do {
      let health = try await TidingsRpcV1.HealthService.Client(session.transport)
        .check(.init(), options: invocation.callOptions)
      let time = ContinuousClock.now - start
      guard health.status == .serving else {
        report(
          .problem(
            "server",
            "\(endpoint) is reachable but not serving",
            "The server is stopping or drained: see its log, and start it again."
          )
        )
        return false
      }
      let key =
        invocation.settings.client.keys == nil ? "" : " and has the server key"
      report(.ok("server", "\(endpoint) answered after \(time.shortText)\(key)"))
      return true
    } catch let error where error.code == .unavailable || error.code == .deadlineExceeded {
      report(
        .problem(
          "server",
          error.message,
          "Check that rpcd is running, that this machine can reach it, and that --server-key is its key."
        )
      )
      return false
    } catch {
      report(
        .problem(
          "server",
          "\(error)",
          "Ask an administrator whether the key is authorized: `rpcctl keys list`."
        )
      )
      return false
    }
  }

  private func check(_ session: Session) async {
    do {
      let info = try await TidingsRpcV1.ServerService.Client(session.transport)
        .fetchServerInfo(.init(), options: invocation.callOptions)
      report(ServerDiagnoses.version(client: Program.version, server: info.version))
      report(
        .ok(
          "mode",
          info.developmentMode
            ? "development: authentication is off; the server trusts --as"
            : "callers authenticate with keys"
        )
      )
    } catch {
      report(
        .problem(
          "version",
          "\(error)",
          "Update the server, or ask an administrator to authorize the caller."
        )
      )
    }
    var (hasAccount, mayAddTypes) = (false, true)
    do {
      let account = try await TidingsV1.AccountService.Client(session.transport)
        .fetchAccountStatus(.init(), options: invocation.callOptions)
      hasAccount = account.status == .available
      mayAddTypes = invocation.settings.client.keys == nil || isDeveloper(account.roles)
      for diagnosis in ServerDiagnoses.account(account, now: wallClock()) { report(diagnosis) }
    } catch {
      report(
        .problem("account", "\(error)", "Ask an administrator for the reason: `rpcctl audit`.")
      )
    }
    await checkPushes(session, hasAccount: hasAccount, mayAddTypes: mayAddTypes)
  }

  /// Returns whether saves with these roles add record types.
  private func isDeveloper(_ roles: [String]) -> Bool {
    let container = invocation.settings.container
    let name = container.isEmpty ? "default" : container
    return !Set(roles).isDisjoint(with: ["admin", "developer", "\(name)/developer"])
  }

  /// Checks the clock and the pushes, which requires saving records.
  private func checkPushes(_ session: Session, hasAccount: Bool, mayAddTypes: Bool) async {
    let reason =
      !hasAccount
      ? "pushes require an account"
      : !mayAddTypes && !isTypeGiven
        ? "only developers add record types: set --type to a type of the schema"
        : invocation.settings.environment == .production && !isTypeGiven
          ? "production does not add record types: set --type to a type of the schema" : nil
    if let reason {
      report(.skipped("clock", reason))
      report(.skipped("push", reason))
      return
    }
    var own = invocation
    own.settings.scope = .private
    do {
      try await TemporaryZone.with("rpcctl-doctor", own, session) { zone in
        try await checkClock(zone)
        try await checkPush(zone, session)
      }
    } catch {
      report(
        .problem(
          "push",
          "cannot create a temporary zone: \(error)",
          "Check the account and its quota: `rpcctl account`."
        )
      )
    }
  }

  private func record(_ name: String, in zone: TemporaryZone) -> TidingsV1.Record {
    .init(recordID: .init(recordName: name, zoneID: zone.id), recordType: recordType)
  }

  private func checkClock(_ zone: TemporaryZone) async throws {
    let before = wallClock()
    let saved = try await zone.save([record("clock", in: zone)])
    if let saved {
      report(ServerDiagnoses.clock(server: saved, before: before, after: wallClock()))
    } else {
      report(.skipped("clock", "the server does not return modification times"))
    }
  }

  private func checkPush(_ zone: TemporaryZone, _ session: Session) async throws {
    try await zone.withSubscription(to: recordType, invocation, session) { start in
      try await checkPush(zone, session.notifications(start) { _ in })
    }
  }

  private func checkPush(_ zone: TemporaryZone, _ source: any NotificationSource) async throws {
    try await PushWaiter.with([source], subscriptionID: zone.id.zoneName) { waiter in
      // The first may still come from the log; the second comes by push, or much later by polling.
      var time = Duration.zero
      for name in ["first", "second"] {
        waiter.expect(name)
        let begin = ContinuousClock.now
        try await zone.save([record(name, in: zone)])
        guard await waiter.arrival(of: name, timeout: Self.pushTimeMax) else {
          report(
            .problem(
              "push",
              "no notification arrived within \(Self.pushTimeMax.shortText)",
              "Check that this machine can reach the push endpoint, which rpcd --advertise-push sets."
            )
          )
          return
        }
        time = .now - begin
      }
      report(.ok("push", "a notification arrived \(time.shortText) after its record was sent"))
    }
  }
}
