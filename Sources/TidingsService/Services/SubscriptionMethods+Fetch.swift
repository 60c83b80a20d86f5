internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsWire
internal import TidingsZeroMQ

extension SubscriptionMethods {
  /// Registers FetchSubscriptions: the loop answers it, once a reader thread found out how they fare,
  /// if the call asks for that.
  func registerFetch(_ calls: GroupedCalls, on loop: LoopContext) {
    let method = TidingsV1.SubscriptionService.Methods.fetchSubscriptions
    loop.registerInline(method) { [self] call, loop in
      do {
        let fetch = try SubscriptionFetch(call, in: loop.arena, engine.limits)
        if fetch.request.wantsHealth {
          try answerWithHealth(fetch, call)
        } else {
          let answering = Answering { [engine] call in
            try Self.subscriptions(fetch, [:], engine, in: call.arena)
          }
          calls.answerInGroup(call, .read, on: loop, answering)
        }
      } catch {
        loop.fail(call.token, RPCError(callFailure: error))
      }
    }
  }

  private func answerWithHealth(
    _ fetch: SubscriptionFetch,
    _ call: borrowing InlineCall
  ) throws {
    let token = call.token
    let body = call.keptBody
    let (keyNumber, deadline) = (call.keyNumber, call.deadline)
    let job = ReadJob(
      token: token,
      deadline: call.deadline,
      bytes: call.body.count,
      keyNumber: call.keyNumber
    ) { reader in
      try reader.engine.health(
        of: fetch.request.subscriptionIDs,
        of: fetch.caller.user,
        in: fetch.database
      )
    } deliver: { result, core, loop in
      let held = HeldCall(
        token,
        of: fetch.caller,
        keyNumber: keyNumber,
        deadline: deadline,
        body: body,
        Answering { call in
          try Self.subscriptions(fetch, result.get(), core.engine, in: call.arena)
        }
      )
      core.calls.serveInTurn(held, on: loop)
    }
    try reads.add(job, of: call.callerKey)
  }

  private static func subscriptions(
    _ fetch: SubscriptionFetch,
    _ healths: [String: SubscriptionHealth],
    _ engine: Engine,
    in arena: borrowing Arena
  ) throws -> Outcome {
    let (owner, database) = (fetch.caller.user, fetch.database)
    let ids =
      fetch.request.subscriptionIDs.isEmpty
      ? try engine.subscriptionNames(of: owner, in: database) : fetch.request.subscriptionIDs
    var response = WireWriter()
    for id in ids {
      try engine.pace.decisionStep()
      var result = try result(of: id) {
        .subscription(.init(try engine.subscription(id, of: owner, in: database)))
      }
      result.health = healths[id].map { .init($0, engine.evaluation(of: $0.channel)) }
      response.add(
        TidingsV1.FetchSubscriptionsResponse.FieldNumber.results,
        result.encoded(in: arena)
      )
    }
    return .answered(CallAnswer(response.bytes))
  }
}

/// A call to FetchSubscriptions, decoded.
private struct SubscriptionFetch: Sendable {
  let request: TidingsV1.FetchSubscriptionsRequest
  let caller: Caller
  let database: DatabaseID

  init(_ call: borrowing InlineCall, in arena: borrowing Arena, _ limits: Limits) throws {
    caller = try CallerIdentity.caller(of: call)
    request = try TidingsV1.FetchSubscriptionsRequest(decoding: call.body.bytes, in: arena)
    guard !caller.user.isEmpty else { throw ItemError.noUser }
    try limits.check(itemCount: request.subscriptionIDs.count)
    database = try request.databaseID.model(for: caller)
  }
}

extension TidingsV1.SubscriptionHealth {
  fileprivate init(
    _ health: SubscriptionHealth,
    _ evaluation: (count: UInt64, last: Timestamp?)
  ) {
    self.init(
      saved: health.saved.map { .init($0) },
      lastFired: health.lastFired.map { .init($0) },
      firedCount: UInt64(clamping: health.firedCount),
      lastEvaluated: evaluation.last.map { .init($0) },
      evaluatedCount: evaluation.count,
      unreadCount: UInt32(clamping: health.unreadCount),
      subscriberCount: UInt64(clamping: health.subscriberCount),
      lacksPermission: health.lacksPermission
    )
  }
}
