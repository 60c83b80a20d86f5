internal import CZeroMQ
internal import Glibc
internal import TidingsMetrics
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsThreads

/// Closures for the loop thread.
typealias LoopJob = @Sendable (LoopContext) -> Void

/// Runs the turns of a server, from its first to its last, on the thread that owns the sockets.
///
/// A turn: take what has arrived and handle it, take what tasks and other threads sent, fire
/// timers, end the turn (commit), send.
///
/// Each look at an empty socket costs libzmq two system calls, so the loop looks only where something
/// may be: after a socket was last found empty, sending on it may have made libzmq take note of new
/// messages without a trace on the descriptor.
struct ServerLoop: ~Copyable {
  private let loop: LoopContext
  private let jobs: Mailbox<LoopJob>
  private var descriptors: [pollfd]
  private var stopDeadline: ContinuousClock.Instant?
  /// The loop does not end before.
  private var earliestEnd: ContinuousClock.Instant?
  private var times = TurnTimes()
  private let connectionsDescriptor: Int
  /// The first of two, which change with each connection to the server to which calls are forwarded.
  private let upstreamDescriptor: Int

  /// How soon answers that wait for a slow client are tried again.
  private static let backlogPause = Duration.milliseconds(10)

  init(_ loop: LoopContext, jobs: Mailbox<LoopJob>) throws(TransportError) {
    self.loop = loop
    self.jobs = jobs
    var watched = [loop.inbox.descriptor, jobs.descriptor, try loop.router.descriptor()]
    if let pushes = loop.pushes { watched.append(pushes.descriptor) }
    connectionsDescriptor = watched.count
    watched.append(loop.admission.events.descriptor)
    upstreamDescriptor = watched.count
    watched += [-1, -1]
    descriptors = watched.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
  }

  consuming func run() throws(TransportError) {
    while true {
      let hasMore = try turn()
      if let end = loop.refusalEnd, end <= .now { loop.endAtOnce() }
      if loop.endsAtOnce {
        loop.perform(loop.calls.endAll(RPCError(.unavailable, "the server has to end")))
        loop.settleReplies()
        loop.delegate?.abandoned(loop)
        loop.handOverPushes()
        loop.letGo()
        return
      }
      if isFinished { break }
      guard !hasMore else {
        // The descriptors are looked at by those who wait.
        loop.followConnections()
        continue
      }
      try watchUpstream()
      InboundBytes.loopSleeps(true)
      wait(for: &descriptors, until: nextTimer)
      InboundBytes.loopSleeps(false)
    }
    loop.delegate?.stopping(loop)
    loop.perform(loop.calls.endAll(RPCError(.unavailable, "the server is stopping")))
    loop.settleReplies()
    loop.handOverPushes()
  }

  private mutating func watchUpstream() throws(TransportError) {
    guard let forwarding = loop.forwarding else { return }
    let watched = try forwarding.upstream?.descriptors()
    descriptors[upstreamDescriptor].fd = watched?.socket ?? -1
    descriptors[upstreamDescriptor + 1].fd = watched?.events ?? -1
  }

  /// - Returns: Whether there is more to do already.
  private mutating func turn() throws(TransportError) -> Bool {
    loop.now = .now
    loop.turnTime = monotonicNanoseconds()
    let (requests, hasMore) = try loop.drainRequests()
    loop.takeSubscriptions()
    if descriptors[connectionsDescriptor].revents != 0 {
      descriptors[connectionsDescriptor].revents = 0
      loop.followConnections()
    }
    loop.endSilentConnections()
    let hasForwarded = try loop.turnForwarding()
    let messages = loop.drainInbox()
    for message in messages {
      switch message {
      case .stop(let grace): beginStopping(grace)
      case .socketFailed(let error): throw error
      case .message, .finished: break
      }
    }
    let jobs = jobs.drain()
    for job in jobs { job(loop) }
    var isBusy = requests > 0 || hasForwarded || !messages.isEmpty || !jobs.isEmpty
    if let timer = loop.calls.nextTimer, timer <= loop.now {
      loop.perform(loop.calls.expire(loop.now))
    }
    if let timer = loop.delegate?.nextTimer, timer <= loop.now {
      loop.delegate?.timerFired(loop)
      isBusy = true
    }
    if isBusy { endTurn() }
    loop.settleReplies()
    loop.settleDraining()
    loop.handOverPushes()
    loop.arena.reset()
    times.turnEnded(begunAt: loop.now, waitingFor: loop.waitedProcessorTime, &loop.counters)
    loop.waitedProcessorTime = .zero
    return hasMore || loop.isBehind || !loop.endedConnections.isEmpty
      || loop.forwarding?.upstream?.mayHaveMore ?? false
      || (loop.hasSent && loop.router.events() & ZMQ_POLLIN != 0)
  }

  /// A turn may handle as long as its end takes: when commits are slow, they are shared by more calls.
  private func endTurn() {
    guard loop.isBehind else {
      loop.delegate?.turnEnded(loop)
      return
    }
    let begin = ContinuousClock.now
    loop.delegate?.turnEnded(loop)
    loop.lastEnding = begin.duration(to: .now)
  }

  private mutating func beginStopping(_ grace: Duration) {
    if !loop.isStopping {
      loop.isStopping = true
      let period = min(loop.configuration.refusalPeriod, grace)
      earliestEnd = loop.now.advanced(by: period)
      for action in loop.stopActions { action() }
    }
    stopDeadline = earlier(stopDeadline, loop.now.advanced(by: grace))
  }

  private var isFinished: Bool {
    guard let stopDeadline, earliestEnd.map({ $0 <= .now }) ?? true else { return false }
    let isIdle =
      loop.waiting.isEmpty && loop.calls.callsOpen == 0 && loop.inlineOpen == 0
      && loop.backlog.isEmpty && loop.forwarding?.count ?? 0 == 0
    return isIdle || stopDeadline <= .now
  }

  private var nextTimer: ContinuousClock.Instant? {
    let retry = loop.backlog.isEmpty ? nil : ContinuousClock.now.advanced(by: Self.backlogPause)
    var timers = earlier(loop.calls.nextTimer, loop.delegate?.nextTimer)
    timers = earlier(timers, loop.connections.nextDue)
    timers = earlier(timers, loop.drainEnd.deadline)
    if !loop.waiting.isEmpty { timers = earlier(timers, loop.forwarding?.patienceEnd) }
    if let earliestEnd, earliestEnd > .now { timers = earlier(timers, earliestEnd) }
    timers = earlier(timers, loop.refusalEnd)
    return earlier(earlier(timers, stopDeadline), retry)
  }
}
