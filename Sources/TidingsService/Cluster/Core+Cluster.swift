internal import TidingsEngine
internal import TidingsLogging
internal import TidingsMemory
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsSQL
internal import TidingsZeroMQ

// The node that leads several.
extension Core {
  /// Most events that are looked at for one answer to a node that is behind.
  private static let catchUpEvents: Int64 = 10_000

  /// Leads from now on: others may follow.
  ///
  /// - Parameters:
  ///   - node: This node.
  ///   - term: The number of its term.
  ///   - keys: Its own keys.
  ///   - admittedKeys: The keys that may connect.
  ///   - loop: The loop.
  /// - Throws: `SQLError`.
  func lead(
    as node: NodeIdentity,
    term: Int64,
    keys: LeaderKeys,
    admittedKeys: AdmittedKeys,
    on loop: LoopContext
  ) throws {
    try engine.begin()
    try LeaderRow.write(node, term: term, store.writer)
    try keys.write(store.writer)
    _ = try engine.commit()
    let leadership = Leadership(
      node,
      term: term,
      event: engine.lastEvent,
      admittedKeys: admittedKeys,
      // A store that several nodes share keeps no pages here.
      publishedBytesMax: engine.limits.memory[.writerPages]
    )
    self.leadership = leadership
    loop.publicationObserver = { leadership.published($0, $1) }
    loop.whenStopping { [unowned self, unowned loop] in
      leadership.leave()
      answerFollowers(on: loop)
    }
    loop.registerInline(TidingsClusterV1.ClusterService.Methods.follow) { [self] call, loop in
      do {
        try follow(call, leadership, on: loop)
      } catch {
        loop.fail(call.token, RPCError(callFailure: error))
      }
    }
  }

  /// Registers what administrators ask about nodes, also of an embedded database.
  func registerCluster(on loop: LoopContext) {
    let method = TidingsV1.AdminService.Methods.fetchClusterStatus
    calls.register(method, .read, on: loop) { [self] call in
      try rights.requireAdministrator(call, method)
      return status(calledOn: call.connection, at: call.loop.now).encoded(in: call.arena)
    }
    let authorize = TidingsClusterV1.ClusterService.Methods.authorize
    let handler: Answering.Handler = { [self] call in
      let request = try TidingsClusterV1.AuthorizeRequest(
        decoding: call.body.bytes,
        in: call.arena
      )
      guard let node = leadership?.follower(on: call.connection)?.node,
        let method = TidingsV1.AdminService.descriptor.methods.first(where: {
          $0.name == request.method
        })
      else {
        throw ItemError(.permissionFailure, "only nodes ask who may administer them")
      }
      try rights.requireAdministrator(call, method)
      var answer = CallAnswer(TidingsClusterV1.AuthorizeResponse().encoded(in: call.arena))
      if !request.about.isEmpty {
        let about = "\(request.about), at the node \(node.name)"
        answer.effects.audits = [
          rights.entry(
            method,
            call.caller,
            keyNumber: call.keyNumber,
            isRefused: false,
            about
          )
        ]
      }
      return .answered(answer)
    }
    calls.register(authorize, .read, on: loop, handler: handler)
  }

  private func status(
    calledOn connection: UInt64,
    at now: ContinuousClock.Instant
  ) -> TidingsV1.FetchClusterStatusResponse {
    guard let leadership else { return .init() }
    let called = leadership.follower(on: connection)?.node
    func message(_ node: NodeIdentity, _ role: TidingsV1.NodeRole) -> TidingsV1.ClusterNode {
      .init(
        name: node.name,
        role: role,
        version: node.version,
        rpcEndpoint: node.rpcEndpoint,
        pushEndpoint: node.pushEndpoint,
        isCalled: node == called ?? leadership.node,
        dataFormat: UInt64(clamping: node.format)
      )
    }
    let followers = leadership.followers(at: now).map { follower in
      var node = message(follower.node, .follower)
      node.publicationsBehind = leadership.lag(of: follower)
      node.silentMilliseconds = UInt32(
        clamping: Int64(follower.lastSeen.duration(to: now) / .milliseconds(1))
      )
      return node
    }
    return .init(
      term: UInt64(clamping: leadership.term),
      nodes: [message(leadership.node, .leader)] + followers,
      groupsRunAgain: calls.groupsRunAgain,
      dataFormat: UInt64(clamping: Migration.format)
    )
  }

  private func follow(
    _ call: borrowing InlineCall,
    _ leadership: Leadership,
    on loop: LoopContext
  ) throws {
    guard callerMode == .development || call.keyNumber == LoopContext.nodeKeyNumber else {
      throw ItemError(.permissionFailure, "only nodes of the same server can follow it")
    }
    let request = try TidingsClusterV1.FollowRequest(decoding: call.body.bytes, in: loop.arena)
    let follower = NodeIdentity(request.node ?? .init())
    if let obstacle = follower.obstacle(following: leadership.node) {
      throw RPCError(.failedPrecondition, obstacle)
    }
    loop.noteNode(call.token, pushEndpoint: request.node?.pushEndpoint ?? "")
    let token = call.token
    if request.lostTerm > 0 {
      try verify(
        CommitMark(
          term: Int64(clamping: request.lostTerm),
          number: Int64(clamping: request.lostCommit)
        ),
        seenBy: request.node?.name ?? "",
        leadership,
        on: loop
      )
    }
    switch leadership.follow(request, token, at: loop.now) {
    case nil: break
    case .answer(let response): loop.reply(token, body: response.encoded(in: loop.arena))
    case .catchUp(let event):
      let start = leadership.lastPublication
      let read: (Engine) throws -> (spans: [EventSpan], last: Int64) = {
        try $0.eventSpans(after: event, limit: Self.catchUpEvents)
      }
      calls.work(.read, read, on: loop) { result in
        switch result {
        case .failure(let error): loop.fail(token, RPCError(callFailure: error))
        case .success(let found):
          let response = leadership.caughtUp(
            Publisher.numbers(of: found.spans),
            to: found.last,
            from: start
          )
          loop.reply(token, body: response.encoded(in: loop.arena))
        }
      }
    }
  }

  /// A node has seen a commit that it does not find any more.
  ///
  /// What this node remembers is of a database that others know otherwise: whoever leads next gives the store another identity.
  private func verify(
    _ commit: CommitMark,
    seenBy node: String,
    _ leadership: Leadership,
    on loop: LoopContext
  ) throws {
    guard leadership.isReportedFirst(commit) else { return }
    store.awaitThreads()
    if try commit.isKept(in: store.writer) {
      logger.log(.warning, "a node misses a commit that the database has", ["node": node])
    } else {
      endLeadership(.databaseLost(commit), on: loop)
    }
  }

  /// Hands on what was published to the nodes that wait for it.
  func answerFollowers(on loop: LoopContext) {
    guard let leadership else { return }
    for (token, response) in leadership.due(at: loop.now) {
      loop.reply(token.afterWait, body: response.encoded(in: loop.arena))
    }
  }

  /// Leaves a sign of life in the database, and looks whether this node still leads.
  func beatIfDue(on loop: LoopContext) {
    guard let leadership, leadership.isBeatDue(at: loop.now) else { return }
    // A later term: others have had the database meanwhile.
    let end =
      store.leadershipEnd ?? (store.term == leadership.term ? nil : .anotherLeads(after: nil))
    if let end { return endLeadership(end, on: loop) }
    store.beat()
  }

  /// Whether another node could lead.
  func hasFollowers(at now: ContinuousClock.Instant) -> Bool {
    leadership?.followers(at: now).contains { $0.node.format >= Migration.format } ?? false
  }

  private func endLeadership(_ end: RoleEnd, on loop: LoopContext) {
    logger.log(.error, "this node does not lead any more", ["reason": "\(end)"])
    onRoleEnd?(end)
    loop.endAtOnce()
  }
}
