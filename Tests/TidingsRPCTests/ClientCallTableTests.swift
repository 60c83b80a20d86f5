import RPCTestSupport
import RandomSupport
import Testing
import TidingsInterop
import TidingsRPC

@Suite("ClientCallTable") struct ClientCallTableTests {
  private let start = Duration.zero

  private func table(
    callsMax: Int = 100,
    attemptsMax: Int = 3,
    endpointsCount: Int = 1
  ) -> ClientCallTable {
    ClientCallTable(
      endpoint: "tcp://x",
      endpointsCount: endpointsCount,
      connectTimeout: .seconds(3),
      retry: RetryPolicy(
        attemptsMax: attemptsMax,
        firstPauseMax: .seconds(1),
        pauseMax: .seconds(4)
      ),
      callsMax: callsMax,
      now: start
    )
  }

  private func sendAll(_ table: inout ClientCallTable) -> [UInt64] {
    var sent: [UInt64] = []
    while let (id, _) = table.nextUnsent() {
      table.sent(id)
      sent.append(id)
    }
    return sent
  }

  @Test("calls wait for the connection, in order, and go once")
  func waits() {
    var table = table()
    for id in [1, 2, 3] as [UInt64] {
      #expect(table.start(id, isSafe: false, deadline: nil, now: start) == nil)
    }
    #expect(table.nextUnsent() == nil)
    #expect(table.cancel(2).isEmpty)
    table.connected()
    #expect(sendAll(&table) == [1, 3])
    #expect(sendAll(&table).isEmpty)
    #expect(
      table.received(1, isUnavailable: false, isLast: true, jitter: 0, now: start) == .deliverLast
    )
    #expect(table.received(1, isUnavailable: false, isLast: true, jitter: 0, now: start) == .ignore)
    #expect(table.cancel(3) == [.sendCancel(3)])
    #expect(table.count == 0)
  }

  @Test("without a connection calls fail after the connect timeout, later ones after a pause")
  func connectTimeout() {
    var table = table()
    #expect(table.start(1, isSafe: true, deadline: nil, now: start) == nil)
    let due = start + .seconds(3)
    #expect(table.nextTimer == due)
    #expect(table.expire(start + .seconds(2)).isEmpty)
    let error = RPCError(.unavailable, "cannot reach tcp://x")
    #expect(table.expire(due) == [.fail(1, error)])
    // Who repeats calls without a pause does it twice a second.
    #expect(table.start(2, isSafe: true, deadline: nil, now: due) == nil)
    let later = due + .milliseconds(500)
    #expect(table.nextTimer == later && table.expire(due + .milliseconds(499)).isEmpty)
    #expect(table.expire(later) == [.fail(2, error)])
    // A call that waits goes as soon as there is a connection.
    #expect(table.start(3, isSafe: true, deadline: nil, now: later) == nil)
    table.connected()
    #expect(sendAll(&table) == [3])
  }

  @Test("a call may wait for a connection for less time than others")
  func patience() {
    var table = table()
    _ = table.start(1, isSafe: true, deadline: nil, now: start)
    _ = table.start(2, isSafe: true, deadline: nil, patience: .seconds(1), now: start)
    let due = start + .seconds(1)
    #expect(table.nextTimer == due)
    #expect(table.expire(due) == [.fail(2, RPCError(.unavailable, "cannot reach tcp://x"))])
    #expect(table.nextTimer == start + .seconds(3))
    table.connected()
    _ = table.start(3, isSafe: true, deadline: nil, patience: .seconds(1), now: due)
    #expect(table.connectionLost(due).isEmpty && table.nextTimer == due + .seconds(1))
  }

  @Test("a deadline that passes without a connection says why there is none")
  func deadlineWithoutConnection() {
    var table = table()
    let why = RPCError(.unavailable, "cannot reach tcp://x: no answer")
    _ = table.start(1, isSafe: true, deadline: start + .seconds(1), now: start)
    #expect(table.connectionFailed(why, failsCalls: false).isEmpty)
    let late = RPCError(.deadlineExceeded, "the deadline passed: \(why.message)")
    #expect(table.expire(start + .seconds(1)) == [.fail(1, late)])
  }

  @Test("a lost connection: safe calls go again, others are of unknown outcome")
  func connectionLost() {
    var table = table()
    table.connected()
    for id in [1, 2, 3] as [UInt64] {
      _ = table.start(id, isSafe: id != 2, deadline: nil, now: start)
    }
    #expect(sendAll(&table) == [1, 2, 3])
    #expect(
      table.received(3, isUnavailable: false, isLast: false, jitter: 0, now: start) == .deliver
    )
    let actions = table.connectionLost(start)
    #expect(actions.count == 2)
    guard case .fail(2, let unknown)? = actions.first, case .fail(3, let cut)? = actions.last else {
      return #expect(Bool(false), "\(actions)")
    }
    #expect(unknown.details == [.errorInfo(reason: "OUTCOME_UNKNOWN")])
    #expect(unknown.code == .unavailable && cut.code == .unavailable)
    #expect(table.nextUnsent() == nil)
    table.connected()
    #expect(sendAll(&table) == [1])
  }

  @Test("calls that were not begun go to the next server, whatever they are, and to each once")
  func unbegun() {
    var table = table(endpointsCount: 2)
    func refuse(_ id: UInt64) -> ClientCallTable.Reception {
      table.received(
        id,
        isUnavailable: true,
        isUnbegun: true,
        asksNext: true,
        isLast: true,
        jitter: 0.5,
        now: start
      )
    }
    table.connected()
    for id in [1, 2] as [UInt64] {
      _ = table.start(id, isSafe: id == 1, deadline: nil, now: start)
    }
    #expect(sendAll(&table) == [1, 2])
    #expect(refuse(1) == .retry && refuse(2) == .retry)
    table.leave(start)
    #expect(!table.isConnected && table.isLeaving && table.nextUnsent() == nil)
    table.connecting(to: "tcp://y")
    #expect(!table.awaitsPrevious)
    table.connected()
    #expect(sendAll(&table) == [1, 2])
    // They wait, as for any server that is unavailable, also the one that is not safe to repeat.
    #expect(refuse(1) == .retry && refuse(2) == .retry)
    #expect(sendAll(&table).isEmpty && table.nextTimer == start + .milliseconds(500))
  }

  @Test("once the outcome of an attempt is unknown, no later error hides it")
  func uncertain() {
    var table = table(attemptsMax: 2)
    table.connected()
    for id in 1...3 as ClosedRange<UInt64> {
      _ = table.start(id, isSafe: true, deadline: nil, now: start)
    }
    #expect(sendAll(&table) == [1, 2, 3])
    func receive(
      _ id: UInt64,
      isUncertain: Bool = false,
      isUnavailable: Bool = true
    )
      -> ClientCallTable.Reception
    {
      table.received(
        id,
        isUnavailable: isUnavailable,
        isUncertain: isUncertain,
        isLast: true,
        jitter: 0,
        now: start
      )
    }
    // Said by a server, or because the connection was lost.
    #expect(receive(1, isUncertain: true) == .retry)
    #expect(table.connectionLost(start).isEmpty)
    table.connected()
    #expect(table.expire(start + .seconds(1)).isEmpty)
    #expect(sendAll(&table).sorted() == [1, 2, 3])
    #expect(receive(1) == .deliverUnknown)
    // What was done the first time is answered the second time.
    #expect(receive(2, isUnavailable: false) == .deliverLast)
    _ = table.start(4, isSafe: true, deadline: nil, now: start)
    table.leave(start)
    #expect(receive(3) == .deliverUnknown)
    let failure = RPCError(.unauthenticated, "no", details: [.errorInfo(reason: "KEY")])
    #expect(table.connectionFailed(failure, failsCalls: true) == [.fail(4, failure)])
    #expect(
      failure.afterUnknownOutcome
        == RPCError(
          .unauthenticated,
          "no; whether an earlier attempt took effect is unknown",
          details: [.errorInfo(reason: "OUTCOME_UNKNOWN")]
        )
    )
  }

  @Test("a call that waits to be repeated until there is no connection has an unknown outcome")
  func uncertainWithoutConnection() {
    for isRefused in [false, true] {
      var table = table()
      table.connected()
      for id in [1, 2] as [UInt64] {
        _ = table.start(id, isSafe: true, deadline: nil, now: start)
        if id == 1 { #expect(sendAll(&table) == [1]) }
      }
      #expect(table.connectionLost(start).isEmpty)
      let failure = RPCError(.unavailable, "no connection")
      var actions = table.connectionFailed(failure, failsCalls: isRefused)
      actions += table.expire(start + .seconds(3))
      #expect(actions == [.fail(1, failure.afterUnknownOutcome), .fail(2, failure)])
    }
  }

  @Test("calls on a connection that is left are answered there, cancelled there, and lost with it")
  func previous() {
    var table = table(endpointsCount: 2)
    table.connected()
    for id in 1...6 as ClosedRange<UInt64> {
      _ = table.start(id, isSafe: id == 3, deadline: nil, now: start)
    }
    #expect(sendAll(&table) == [1, 2, 3, 4, 5, 6])
    table.leave(start)
    #expect(table.cancel(6) == [.sendCancel(6)])
    table.connecting(to: "tcp://y")
    #expect(table.awaitsPrevious && table.isOnPrevious(1) && table.isRunning(1))
    // They do not wait for a connection.
    #expect(table.expire(start + .seconds(3)).isEmpty)
    #expect(table.connectionFailed(RPCError(.unauthenticated, "no"), failsCalls: true).isEmpty)
    table.connected()
    _ = table.start(7, isSafe: false, deadline: nil, now: start)
    #expect(sendAll(&table) == [7] && !table.isOnPrevious(7))
    #expect(
      table.received(1, isUnavailable: false, isLast: true, jitter: 0, now: start) == .deliverLast
    )
    #expect(table.cancel(2) == [.sendCancelOnPrevious(2)])
    #expect(
      table.received(4, isUnavailable: false, isLast: false, jitter: 0, now: start) == .deliver
    )
    let actions = table.previousConnectionLost()
    guard case .fail(4, let cut)? = actions.first, case .fail(5, let unknown)? = actions.last else {
      return #expect(Bool(false), "\(actions)")
    }
    #expect(actions.count == 2 && cut.message.contains("tcp://x"))
    #expect(unknown.details == [.errorInfo(reason: "OUTCOME_UNKNOWN")])
    #expect(!table.awaitsPrevious && sendAll(&table) == [3])
    // The connection that is used is another.
    #expect(table.connectionLost(start).count == 1)
  }

  @Test("a call on a connection that was left does not wait for another one without end")
  func previousLost() {
    var table = table(endpointsCount: 2)
    table.connected()
    _ = table.start(1, isSafe: true, deadline: nil, now: start)
    #expect(sendAll(&table) == [1])
    table.leave(start)
    table.connecting(to: "tcp://y")
    #expect(table.expire(start + .seconds(3)).isEmpty)
    #expect(table.previousConnectionLost().isEmpty)
    #expect(table.nextTimer.map { $0 <= start + .seconds(3) } == true)
    guard case .fail(1, _)? = table.expire(start + .seconds(4)).first else {
      return #expect(Bool(false), "the call waits")
    }
    #expect(table.count == 0 && table.nextTimer == nil)
  }

  @Test("a connection that is left and lost before there is another: its calls end with it")
  func leftAndLost() {
    var table = table(endpointsCount: 2)
    table.connected()
    for id in [1, 2] as [UInt64] {
      _ = table.start(id, isSafe: id == 1, deadline: nil, now: start)
    }
    #expect(sendAll(&table) == [1, 2])
    table.leave(start)
    guard case .fail(2, _)? = table.connectionLost(start).first else {
      return #expect(Bool(false), "an unsafe call goes on")
    }
    #expect(!table.isLeaving && table.connectionLost(start).isEmpty)
    table.connecting(to: "tcp://y")
    #expect(!table.awaitsPrevious)
    table.connected()
    #expect(sendAll(&table) == [1])
  }

  @Test("UNAVAILABLE: a safe call pauses and goes again, up to the limit of attempts")
  func retries() {
    var table = table(attemptsMax: 3)
    table.connected()
    _ = table.start(1, isSafe: true, deadline: nil, now: start)
    _ = table.start(2, isSafe: false, deadline: nil, now: start)
    #expect(sendAll(&table) == [1, 2])
    #expect(
      table.received(2, isUnavailable: true, isLast: true, jitter: 0.5, now: start) == .deliverLast
    )
    #expect(table.received(1, isUnavailable: true, isLast: true, jitter: 0.5, now: start) == .retry)
    #expect(sendAll(&table).isEmpty)
    let first = start + .milliseconds(500)
    #expect(table.nextTimer == first)
    #expect(table.expire(first).isEmpty)
    #expect(sendAll(&table) == [1])
    #expect(table.received(1, isUnavailable: true, isLast: true, jitter: 0.5, now: first) == .retry)
    let second = first + .seconds(1)
    #expect(table.expire(second).isEmpty)
    #expect(sendAll(&table) == [1])
    #expect(
      table.received(1, isUnavailable: true, isLast: true, jitter: 0.5, now: second) == .deliverLast
    )
  }

  @Test("a retry that would come after the deadline is not waited for")
  func retryWithinDeadline() {
    var table = table()
    table.connected()
    _ = table.start(1, isSafe: true, deadline: start + .milliseconds(400), now: start)
    #expect(sendAll(&table) == [1])
    #expect(
      table.received(1, isUnavailable: true, isLast: true, jitter: 0.5, now: start) == .deliverLast
    )
  }

  @Test("a deadline ends a call, and shows the server")
  func deadline() {
    var table = table()
    table.connected()
    let due = start + .seconds(1)
    _ = table.start(1, isSafe: false, deadline: due, now: start)
    #expect(table.start(2, isSafe: false, deadline: start, now: start)?.code == .deadlineExceeded)
    #expect(sendAll(&table) == [1])
    #expect(
      table.expire(due) == [
        .fail(1, RPCError(.deadlineExceeded, "the deadline passed")), .sendCancel(1),
      ]
    )
    #expect(table.received(1, isUnavailable: false, isLast: true, jitter: 0, now: due) == .ignore)
  }

  @Test("every call ends exactly once", arguments: [1, 2, 3] as [UInt64])
  func endsOnce(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var table = table(callsMax: 30)
    var now = start
    var open: Set<UInt64> = []
    var nextID: UInt64 = 0
    func settle(_ actions: [ClientCallTable.Action]) {
      for case .fail(let id, _) in actions {
        #expect(open.remove(id) != nil, "seed \(seed)")
      }
    }
    for _ in 0..<20_000 {
      let id = UInt64.random(in: 0...max(nextID, 1), using: &random)
      switch Int.random(in: 0...7, using: &random) {
      case 0, 1:
        nextID += 1
        let deadline = Bool.random(using: &random) ? now + .seconds(1) : nil
        let isSafe = Bool.random(using: &random)
        if table.start(nextID, isSafe: isSafe, deadline: deadline, now: now) == nil {
          open.insert(nextID)
        }
      case 2: for sent in sendAll(&table) { #expect(open.contains(sent), "seed \(seed)") }
      case 3, 4:
        let reception = table.received(
          open.randomElement(using: &random) ?? id,
          isUnavailable: .random(using: &random),
          isLast: true,
          jitter: 0.9,
          now: now
        )
        #expect(reception != .deliver, "seed \(seed)")
        open = open.filter { table.isWaiting($0) }
      case 5:
        if Bool.random(using: &random) {
          table.connected()
        } else {
          settle(table.connectionLost(now))
        }
      case 6:
        _ = table.cancel(id)
        open.remove(id)
      default:
        now = now + .milliseconds(100)
        settle(table.expire(now))
        if let next = table.nextTimer { #expect(next > now, "seed \(seed)") }
      }
      #expect(table.count == open.count, "seed \(seed)")
    }
    settle(table.endAll(RPCError(.cancelled, "end")))
    #expect(open.isEmpty, "seed \(seed)")
  }
}
