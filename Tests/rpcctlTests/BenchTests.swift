import BenchStatistics
import CommandLineTools
import Synchronization
import Testing
import TidingsProto
import TidingsRPC

@testable import rpcctl

@Suite struct BenchTests {
  private func plan(_ arguments: String...) throws(UsageError) -> BenchPlan {
    try BenchPlan(try ParsedArguments(arguments, options: BenchPlan.options, prefix: "X"))
  }

  @Test("a plan follows the options; a soak has a default duration")
  func plans() throws {
    let plain = try plan("read")
    #expect(plain.calls == 10_000 && plain.duration == nil && plain.schedule == nil)
    let timed = try plan("write", "--in-flight", "8", "--duration", "10s", "-r", "200")
    #expect(timed.calls == .max && timed.duration == .seconds(10) && timed.inFlight == 8)
    #expect(timed.schedule == .constant(200))
    #expect(try plan("soak").duration == .seconds(60))
    #expect(try plan("fanout").subscribers == 10 && plan("push-latency").subscribers == 1)
    let line = try plan("rpc", "-r", "100", "--duration", "2s", "--load", "line")
    #expect(line.schedule == .line(from: 10, to: 100, over: .seconds(2)))
  }

  @Test(
    "invalid plans are rejected",
    arguments: [
      ([], "no mode: use rpc"), (["reed"], "invalid mode 'reed': use rpc, write"),
      (["rpc", "-r", "0"], "invalid --rate '0': use calls per second"),
      (["rpc", "--load", "line"], "--load line requires --rate"),
      (["rpc", "--load", "step", "-r", "5"], "--load step requires --duration"),
      (["rpc", "--in-flight", "0"], "--in-flight takes a whole number"),
    ]
  )
  func refused(arguments: [String], message: String) async {
    let run = await ProgramRun(list: ["bench"] + arguments)
    #expect(run.exitCode == .usage && run.configuration == nil)
    #expect(run.err.hasPrefix("rpcctl: \(message)"), "\(run.err)")
  }

  @Test("a missing push is reported as text")
  func words() {
    #expect("\(BenchFailure.notNotified)".hasPrefix("no notification of a saved record"))
    #expect("\(BenchFailure(code: "QUOTA_EXCEEDED"))".hasSuffix("with QUOTA_EXCEEDED"))
  }

  @Test("a closed loop makes each call once, with limited concurrency")
  func closedLoop() async {
    let seen = Mutex<(numbers: [Int], running: Int, most: Int)>(([], 0, 0))
    let loop = BenchLoop(inFlight: 4, callsMax: 100, duration: nil, schedule: nil) { number in
      seen.withLock {
        $0.numbers.append(number)
        $0.running += 1
        $0.most = max($0.most, $0.running)
      }
      await Task.yield()
      seen.withLock { $0.running -= 1 }
      if number % 10 == 0 { throw RPCError(.unavailable, "gone") }
      if number % 10 == 1 { throw BenchFailure(code: "UNKNOWN_ITEM") }
      return 2
    }
    let tally = BenchTally()
    _ = await loop.run(from: 1_000, into: tally)
    #expect(seen.withLock { $0.numbers.sorted() } == Array(1_000..<1_100))
    #expect(seen.withLock { $0.most } <= 4)
    let counts = tally.counts
    #expect(counts.latencies.count == 80 && counts.items == 160)
    #expect(counts.errors == ["UNAVAILABLE": 10, "UNKNOWN_ITEM": 10])
  }

  @Test("an open loop measures latencies from the scheduled start")
  func openLoop() async {
    // All are due at once, within a microsecond: the last waits for the 49 before it.
    let loop = BenchLoop(
      inFlight: 1,
      callsMax: 50,
      duration: nil,
      schedule: .constant(50_000_000)
    ) { _ in
      // A call takes so long.
      try await Task.sleep(for: .milliseconds(2))
      return 1
    }
    let tally = BenchTally()
    _ = await loop.run(from: 0, into: tally)
    #expect(tally.counts.latencies.count == 50)
    #expect(tally.counts.latencies.max >= 50 * 2_000_000)
  }

  @Test("a schedule ends a run")
  func schedule() async {
    let loop = BenchLoop(
      inFlight: 8,
      callsMax: .max,
      duration: nil,
      schedule: .line(from: 1_000, to: 3_000, over: .milliseconds(50))
    ) { _ in 1 }
    let tally = BenchTally()
    _ = await loop.run(from: 0, into: tally)
    #expect(tally.counts.latencies.count == 100)
  }

  @Test("an interruption ends a loop; the interrupted call is not an error")
  func cancelled() async {
    let tally = BenchTally()
    let task = Task {
      let loop = BenchLoop(inFlight: 2, callsMax: .max, duration: nil, schedule: nil) { _ in
        // It never ends by itself: the test cancels it.
        try await Task.sleep(for: .seconds(3_600))
        return 0
      }
      _ = await loop.run(from: 0, into: tally)
    }
    task.cancel()
    await task.value
    #expect(tally.counts.errors.isEmpty && tally.counts.latencies.count == 0)
  }

  @Test("windows add up to the total")
  func windows() {
    let tally = BenchTally()
    tally.add(.milliseconds(1), items: 1)
    #expect(tally.takeWindow().latencies.count == 1)
    tally.add(.milliseconds(2), items: 1)
    tally.add(RPCError(.internal, "x"))
    let window = tally.takeWindow()
    #expect(window.latencies.count == 1 && window.failed == 1)
    #expect(tally.counts.latencies.count == 2 && tally.counts.items == 2)
  }

  @Test("a waiter waits for all subscribers, in any order")
  func waiter() async {
    let waiter = PushWaiter(subscribers: 2, subscriptionID: "s")
    func notify(_ name: String, _ subscription: String = "s") {
      waiter.take(.init(subscriptionID: subscription, recordID: .init(recordName: name)))
    }
    waiter.expect("early")
    notify("early")
    notify("early")
    notify("unknown")
    #expect(await waiter.arrival(of: "early", timeout: .seconds(600)))

    waiter.expect("late")
    let arrival = Task { await waiter.arrival(of: "late", timeout: .seconds(600)) }
    notify("late", "another")
    notify("late")
    notify("late")
    #expect(await arrival.value)

    waiter.expect("never")
    notify("never")
    #expect(await waiter.arrival(of: "never", timeout: .milliseconds(1)) == false)

    waiter.expect("cancelled")
    let cancelled = Task { await waiter.arrival(of: "cancelled", timeout: .seconds(600)) }
    cancelled.cancel()
    #expect(await cancelled.value == false)
  }
}
