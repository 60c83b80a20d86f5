import RPCTestSupport
import RandomSupport
import Testing
import TidingsInterop
import TidingsRPC

@Suite("ServerCallTable") struct ServerCallTableTests {
  private typealias Table = ServerCallTable<Int>
  private let start = ContinuousClock.now

  private func key(_ peer: Int, _ callID: UInt64) -> Table.Key {
    Table.Key(peer: peer, callID: callID)
  }

  @Test("a call id in use is refused to its peer only, and free again after the answer")
  func duplicates() {
    var table = Table()
    #expect(table.start(key(1, 7), credit: nil, deadline: nil, now: start) == .run(1))
    guard case .refuse(let error) = table.start(key(1, 7), credit: nil, deadline: nil, now: start)
    else { return #expect(Bool(false), "a duplicate was admitted") }
    #expect(error.code == .invalidArgument)
    #expect(table.start(key(2, 7), credit: nil, deadline: nil, now: start) == .run(2))
    #expect(table.finished(1) == key(1, 7))
    #expect(table.start(key(1, 7), credit: nil, deadline: nil, now: start) == .run(3))
  }

  @Test("a cancelled call is answered once, and its task counts until it ends")
  func cancels() {
    var table = Table(callsMax: 1)
    _ = table.start(key(1, 1), credit: nil, deadline: nil, now: start)
    let cancelled = RPCError(.cancelled, "the client cancelled the call")
    #expect(table.cancel(key(1, 1)) == [.cancelTask(1, cancelled), .fail(key(1, 1), cancelled)])
    #expect(table.cancel(key(1, 1)).isEmpty)
    #expect(table.tasksRunning == 1 && table.callsOpen == 0)
    guard case .refuse(let error) = table.start(key(1, 2), credit: nil, deadline: nil, now: start)
    else { return #expect(Bool(false), "more tasks than the limit") }
    #expect(error.code == .resourceExhausted)
    #expect(table.finished(1) == nil)
    #expect(table.start(key(1, 2), credit: nil, deadline: nil, now: start) == .run(2))
  }

  @Test("deadlines end calls in time and not before")
  func deadlines() {
    var table = Table()
    let due = start.advanced(by: .seconds(5))
    _ = table.start(key(1, 1), credit: nil, deadline: due, now: start)
    _ = table.start(key(1, 2), credit: nil, deadline: nil, now: start)
    guard case .refuse(let late) = table.start(key(1, 3), credit: nil, deadline: start, now: start)
    else { return #expect(Bool(false), "an expired call was begun") }
    #expect(late.code == .deadlineExceeded)
    #expect(table.nextTimer == due)
    #expect(table.expire(due.advanced(by: .nanoseconds(-1))).isEmpty)
    #expect(table.expire(due).count == 2)
    #expect(table.callsOpen == 1)
    #expect(table.nextTimer == nil)
  }

  @Test("a stream that gets no credit is cancelled, one that gets some is not")
  func stalls() {
    var table = Table(stallMax: .seconds(60))
    _ = table.start(key(1, 1), credit: 2, deadline: nil, now: start)
    _ = table.start(key(1, 2), credit: 1, deadline: nil, now: start)
    #expect(table.message(1, now: start) == key(1, 1))
    #expect(table.nextTimer == nil)
    #expect(table.message(1, now: start) == key(1, 1))
    #expect(table.message(2, now: start) == key(1, 2))
    #expect(table.credit(key(1, 2), count: 1) == 2)
    #expect(table.credit(key(1, 3), count: 1) == nil)
    let actions = table.expire(start.advanced(by: .seconds(60)))
    #expect(actions.count == 2)
    guard case .fail(let failed, let error)? = actions.last else {
      return #expect(Bool(false), "the stalled stream goes on")
    }
    #expect(failed == key(1, 1) && error.code == .cancelled)
    #expect(table.message(1, now: start) == nil)
  }

  @Test("a gone peer's tasks are cancelled without an answer")
  func gonePeers() {
    var table = Table()
    _ = table.start(key(1, 1), credit: nil, deadline: nil, now: start)
    _ = table.start(key(2, 1), credit: nil, deadline: nil, now: start)
    let actions = table.peerGone { $0 == 1 }
    #expect(actions == [.cancelTask(1, RPCError(.cancelled, "the client cancelled the call"))])
    #expect(table.callsOpen == 1 && table.tasksRunning == 2)
  }

  @Test("each admitted call is answered exactly once", arguments: [1, 2, 3] as [UInt64])
  func answersOnce(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var table = Table(callsMax: 20, stallMax: .seconds(3))
    var now = start
    var open: [UInt64: Table.Key] = [:]
    var tasks: Set<UInt64> = []
    func settle(_ actions: [Table.Action]) {
      for action in actions {
        switch action {
        case .cancelTask(let number, _):
          #expect(open.removeValue(forKey: number) != nil, "seed \(seed)")
        case .fail(let key, _):
          #expect(!open.values.contains(key), "seed \(seed)")
        }
      }
    }
    for _ in 0..<20_000 {
      let subject = key(Int.random(in: 0...2, using: &random), .random(in: 0...9, using: &random))
      switch Int.random(in: 0...6, using: &random) {
      case 0, 1:
        let deadline = Bool.random(using: &random) ? now.advanced(by: .seconds(2)) : nil
        let credit: UInt32? = Bool.random(using: &random) ? 1 : nil
        if case .run(let number) = table.start(
          subject,
          credit: credit,
          deadline: deadline,
          now: now
        ) {
          #expect(!open.values.contains(subject) && tasks.count < 20, "seed \(seed)")
          open[number] = subject
          tasks.insert(number)
        }
      case 2: settle(table.cancel(subject))
      case 3:
        guard let number = tasks.randomElement(using: &random) else { continue }
        tasks.remove(number)
        #expect(table.finished(number) == open.removeValue(forKey: number), "seed \(seed)")
      case 4:
        guard let number = tasks.randomElement(using: &random) else { continue }
        #expect(table.message(number, now: now) == open[number], "seed \(seed)")
      case 5: _ = table.credit(subject, count: 1)
      default:
        now = now.advanced(by: .milliseconds(200))
        settle(table.expire(now))
        if let next = table.nextTimer { #expect(next > now, "seed \(seed)") }
      }
      #expect(table.callsOpen == open.count && table.tasksRunning == tasks.count, "seed \(seed)")
    }
    settle(table.endAll(RPCError(.unavailable, "end")))
    #expect(open.isEmpty, "seed \(seed)")
  }
}
