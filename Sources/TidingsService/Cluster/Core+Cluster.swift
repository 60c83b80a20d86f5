internal import TidingsEngine
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
  ///   - admittedKeys: The keys that may connect.
  ///   - loop: The loop.
  /// - Throws: `SQLError`.
  func lead(
    as node: NodeIdentity,
    term: Int64,
    admittedKeys: AdmittedKeys,
    on loop: LoopContext
  ) throws {
    try engine.begin()
    try LeaderRow.write(node, term: term, store.writer)
    _ = try engine.commit()
    let leadership = try Leadership(
      node,
      term: term,
      event: engine.lastEvent,
      admittedKeys: admittedKeys,
      store.writer
    )
    self.leadership = leadership
    loop.publicationObserver = { leadership.published($0, $1) }
    loop.registerInline(TidingsClusterV1.ClusterService.Methods.follow) { [self] call, loop in
      do {
        try follow(call, leadership, on: loop)
      } catch {
        loop.fail(call.token, RPCError(callFailure: error))
      }
    }
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
    loop.noteNode(call.token, pushEndpoint: request.node?.pushEndpoint ?? "")
    let token = call.token
    switch leadership.follow(request, token, at: loop.now) {
    case nil: break
    case .answer(let response): loop.reply(token, body: response.encoded(in: loop.arena))
    case .catchUp(let event):
      let start = leadership.lastPublication
      calls.work(
        .read,
        { try $0.eventSpans(after: event, limit: Self.catchUpEvents) },
        on: loop
      ) { result in
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

  /// Hands on what was published to the nodes that wait for it.
  func answerFollowers(on loop: LoopContext) {
    guard let leadership else { return }
    for (token, response) in leadership.due(at: loop.now) {
      loop.reply(token, body: response.encoded(in: loop.arena))
    }
  }

  /// Leaves a sign of life in the database, and learns there whether this node still leads.
  func beatIfDue(on loop: LoopContext) {
    guard let leadership, leadership.isBeatDue(at: loop.now) else { return }
    if let end = store.leadershipEnd { return endLeadership(end, on: loop) }
    calls.work(.write, attempts: 0, { _ in try leadership.writeBeat() }, on: loop) { [self] result in
      guard case .failure = result, let end = store.leadershipEnd else { return }
      endLeadership(end, on: loop)
    }
  }

  private func endLeadership(_ end: RoleEnd, on loop: LoopContext) {
    logger.log(.error, "this node does not lead any more", ["reason": "\(end)"])
    onRoleEnd?(end)
    loop.endAtOnce()
  }
}
