internal import TidingsEngine
internal import TidingsKeys
internal import TidingsLogging
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

/// The state of the loop thread of a node that follows: it hands calls to the leader, and publishes what that publishes.
final class Follower {
  /// A leader that does not answer for so long is called on a new connection.
  private static let silenceMax = Duration.seconds(5)
  /// The same while it reads what this node has missed, for which it may have to wait for its store.
  private static let catchingUpMax = Duration.seconds(30)
  private static let wait = Duration.milliseconds(250)
  /// How soon a leader is called again that could not be reached.
  private static let pause = Duration.milliseconds(100)

  let forwarding: Forwarding
  let node: NodeIdentity
  let callLog: CallLog
  let health: HealthState
  let logger: Logger
  /// An administrator has drained the server, which is to exit.
  let onDrained: () -> Void
  /// The keys that may connect were changed.
  private let keysChanged: () -> Void
  /// The connection to the leader was made or has ended.
  private let linkChanged: (Bool) -> Void
  /// The keys that may connect.
  let admittedKeys: AdmittedKeys
  /// When the process started.
  let started: Timestamp
  private var leader: LeaderRow?
  /// What was published last.
  private var (term, publication): (UInt64, UInt64) = (0, 0)
  private var frontier = EventFrontier()
  /// A commit that this node has seen and the database of the leader does not have; `nil`: it has all.
  var lostCommit: CommitMark?
  /// Up to which event a part of what was missed was published; `nil`: nothing is missing.
  private var caughtUp: Int64?
  private var keysVersion: UInt64?
  /// Whose the keys were that may connect, and in which version of them.
  private var holders: (version: UInt64?, users: [Int64: String]) = (nil, [:])
  /// Counts the connections, so that an answer of an earlier one is not taken for one of this.
  private var linkNumber = 0
  /// The leader has answered on this connection.
  private var isFollowing = false
  /// Why this node could not follow the last time.
  private var refusal: String?
  /// When the leader answered last, on this connection.
  private var answered = ContinuousClock.now
  /// When the leader is asked again on the same connection; `nil`: it is being asked.
  private var pollsAgain: ContinuousClock.Instant?
  /// When the connection is tried again; `nil`: there is one, or there is no leader.
  private var retry: ContinuousClock.Instant?

  init(
    _ forwarding: Forwarding,
    _ node: NodeIdentity,
    _ health: HealthState,
    _ logger: Logger,
    _ callLog: CallLog,
    _ admittedKeys: AdmittedKeys,
    startedAt started: Timestamp,
    onDrained: @escaping () -> Void,
    keysChanged: @escaping () -> Void,
    linkChanged: @escaping (Bool) -> Void
  ) {
    (self.onDrained, self.admittedKeys, self.started) = (onDrained, admittedKeys, started)
    (self.forwarding, self.node, self.health, self.logger) = (forwarding, node, health, logger)
    (self.keysChanged, self.linkChanged) = (keysChanged, linkChanged)
    self.callLog = callLog
  }

  /// Calls go to this leader from now on.
  func follow(_ leader: LeaderRow, on loop: LoopContext) {
    logger.log(
      .info,
      "following",
      ["leader": leader.name, "endpoint": leader.endpoint, "term": "\(leader.term)"]
    )
    self.leader = leader
    connect(on: loop)
  }

  /// This node changes its role.
  func end(on loop: LoopContext) {
    retry = nil
    forwarding.end(on: loop)
    loop.endAfterRefusals()
  }

  /// Begins with what a loop has to do when the link to the leader changes.
  func attach(to loop: LoopContext) {
    forwarding.linkChanged = { [unowned self, unowned loop] failure in
      if let failure { linkEnded(failure, on: loop) } else { linked(on: loop) }
    }
    loop.forward(by: forwarding)
    loop.whenStopping { [unowned self, unowned loop] in forwarding.endWaits(on: loop) }
    loop.delegate = self
    // A node that takes this one for the leader, which it was, finds out.
    loop.registerInline(TidingsClusterV1.ClusterService.Methods.follow) { call, loop in
      loop.fail(call.token, RPCError(.failedPrecondition, "this node does not lead"))
    }
    registerAdministration(on: loop)
  }

  private func connect(on loop: LoopContext) {
    guard let leader else { return }
    linkNumber += 1
    // Another leader has counts of its own.
    (retry, pollsAgain, answered, keysVersion) = (nil, nil, loop.now, nil)
    do {
      try forwarding.connect(to: leader.endpoint, on: loop)
    } catch {
      logger.log(.error, "cannot connect to the leader", ["reason": "\(error)"])
      retry = loop.now.advanced(by: Self.pause)
    }
  }

  private func linked(on loop: LoopContext) {
    answered = loop.now
    isFollowing = false
    poll(on: loop)
  }

  /// The node that was called leads.
  private func follows(on loop: LoopContext) {
    guard !isFollowing else { return }
    isFollowing = true
    linkChanged(true)
    health.setServing(!loop.isDraining)
  }

  private func linkEnded(_ failure: RPCError, on loop: LoopContext) {
    logger.log(.warning, "the leader cannot be reached", ["reason": failure.message])
    linkChanged(false)
    health.setServing(false)
    retry = loop.now.advanced(by: Self.pause)
  }

  // MARK: Publications

  private func poll(on loop: LoopContext) {
    let request = TidingsClusterV1.FollowRequest(
      node: node.message,
      term: term,
      publication: publication,
      event: UInt64(clamping: caughtUp ?? frontier.event),
      waitMilliseconds: UInt32(Self.wait / .milliseconds(1)),
      keysVersion: keysVersion ?? 0,
      lostTerm: UInt64(clamping: lostCommit?.term ?? 0),
      lostCommit: UInt64(clamping: lostCommit?.number ?? 0)
    )
    let number = linkNumber
    forwarding.call(
      TidingsClusterV1.ClusterService.Methods.follow,
      request.encoded(in: loop.arena)
    ) { [unowned self, unowned loop] result in
      guard number == linkNumber else { return }
      switch result {
      case .success(let bytes): received(bytes, on: loop)
      case .failure(let error):
        guard forwarding.isConnected else { return }
        refused(error.message, on: loop)
      }
    }
  }

  /// Asks again later: the leader may be replaced by one that lets this node follow.
  private func refused(_ reason: String, on loop: LoopContext) {
    if reason != refusal {
      logger.log(.error, "this node cannot follow the leader", ["reason": reason])
    }
    refusal = reason
    answered = loop.now
    // Calls that it has begun are still to be answered on this connection.
    pollsAgain = loop.now.advanced(by: Self.pause)
  }

  private func received(_ bytes: [UInt8], on loop: LoopContext) {
    guard let response = try? TidingsClusterV1.FollowResponse(decoding: bytes) else {
      retry = loop.now.advanced(by: .seconds(1))
      return
    }
    // An older leader lets every node follow.
    let leader = NodeIdentity(response.leader ?? .init())
    if let obstacle = node.obstacle(following: leader) { return refused(obstacle, on: loop) }
    forwarding.requestBytesMax = leader.frameBytesMax
    answered = loop.now
    refusal = nil
    for publication in response.publications {
      loop.publish(topic: publication.topic, body: publication.body)
    }
    (term, publication) = (response.term, response.publication)
    caughtUp = response.term == 0 ? Int64(clamping: response.event) : nil
    if response.event > 0 { frontier.note(Int64(clamping: response.event), at: loop.now) }
    forwarding.isHolding = response.isLeaving
    follows(on: loop)
    if response.keysVersion != keysVersion {
      keysVersion = response.keysVersion
      keysChanged()
    }
    poll(on: loop)
  }
}

extension Follower: LoopDelegate {
  var nextTimer: ContinuousClock.Instant? {
    if let retry { return retry }
    if let pollsAgain { return pollsAgain }
    return forwarding.endpoint == nil ? nil : silenceEnd
  }

  /// When the leader is called on a new connection, if it has not answered until then.
  private var silenceEnd: ContinuousClock.Instant {
    let isCatchingUp = forwarding.isConnected && (!isFollowing || caughtUp != nil)
    return answered.advanced(by: isCatchingUp ? Self.catchingUpMax : Self.silenceMax)
  }

  func timerFired(_ loop: LoopContext) {
    if retry == nil, let due = pollsAgain, due <= loop.now {
      pollsAgain = nil
      poll(on: loop)
    }
    let isSilent = forwarding.endpoint != nil && silenceEnd <= loop.now
    guard isSilent || retry.map({ $0 <= loop.now }) ?? false else { return }
    if isSilent, forwarding.isConnected {
      logger.log(.warning, "the leader does not answer", [:])
      linkChanged(false)
    }
    connect(on: loop)
  }

  func stopping(_ loop: LoopContext) { forwarding.end(on: loop) }

  func subscriber(ofKey key: Int64) -> CallerKey {
    let version = admittedKeys.version
    if holders.version != version {
      holders = (version, admittedKeys.holders.mapValues(\.user))
    }
    guard let user = holders.users[key], !user.isEmpty else { return CallerKey(guestKey: key) }
    return CallerKey(user: user)
  }

  func admit(
    key: Int64?,
    method: @autoclosure () -> MethodDescriptor?,
    claiming claim: CallerClaim
  ) -> CallAdmission {
    // The methods that are answered here say nothing about anybody.
    .admitted(user: "")
  }
}
