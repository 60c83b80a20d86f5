import BenchCore
import Glibc

/// Makes calls at a constant rate, whatever becomes of the calls before: an open loop.
///
/// A latency counts from the time at which the call was to begin. So a server that hangs delays all calls of
/// that time, and not only those that were in flight (coordinated omission).
final class OpenLoop {
  /// What one run found out.
  struct Outcome {
    let measurement: Measurement
    /// Microseconds that 99 % of the calls were not later than their time.
    let latenessP99: Double
  }

  /// More than these leave late: a server refuses a user's calls when too many wait.
  private static let inFlightMax = 2_048
  /// Calls that were due together, before answers are looked for.
  private static let burstMax = 64
  /// A server that is so far behind does not keep up.
  private static let latenessMaxNanoseconds: UInt64 = 10_000_000_000

  private let caller: RawCaller
  private let subscriber: PushSubscriber?
  private let clock: ProcessClock
  private let descriptors: [CInt]
  private var latencies = LatencyHistogram()
  private var lateness = LatencyHistogram()
  private var (begin, interval) = (UInt64(0), 0.0)
  private var (sent, answered) = (0, 0)
  private var first: CallSequence.Sent?
  private var isFull: Bool { sent - latencies.count >= Self.inFlightMax }

  /// A call ends with its reply or, with a subscriber, with the push of its record; numbers are fresh then.
  init(
    _ context: RawContext,
    _ server: ServerAddress,
    _ calls: CallSequence,
    _ subscriber: PushSubscriber?
  ) throws {
    caller = try RawCaller(context, server, calls)
    self.subscriber = subscriber
    clock = server.clock
    descriptors = try [caller.socket, subscriber?.socket].compactMap { try $0?.descriptor() }
    try TimerSlack.remove()
    try subscriber?.waitForFirst(caller)
  }

  /// Makes so many calls a second for so long, and waits until the last has ended.
  func run(rate: Double, seconds: Int) throws -> Outcome {
    let count = max(Int(rate * Double(seconds)), 1)
    let watch = Stopwatch(clock)
    (begin, interval) = (watch.start, 1e9 / rate)
    var quietSince = begin
    while latencies.count < count || answered < count {
      try Interruption.check()
      let before = answered + latencies.count
      try sendDue(until: count)
      try takeReplies()
      try takePushes()
      if answered + latencies.count > before {
        quietSince = Clock.now()
      } else {
        let next = sent < count && !isFull ? due(sent) : nil
        try wait(until: next, quietSince: max(quietSince, due(sent - 1)))
      }
    }
    guard let measurement = watch.measurement(latencies) else { throw BenchError("no calls") }
    return Outcome(
      measurement: measurement,
      latenessP99: Double(lateness.percentile(0.99)) / 1000
    )
  }

  /// When a call is to begin, counted from the first.
  private func due(_ number: Int) -> UInt64 { begin + UInt64(Double(max(number, 0)) * interval) }

  private func sendDue(until count: Int) throws {
    let now = Clock.now()
    for _ in 0..<Self.burstMax where sent < count && due(sent) <= now && !isFull {
      let late = now - due(sent)
      guard late < Self.latenessMaxNanoseconds else {
        throw BenchError("the server does not keep up with the rate: use a lower one")
      }
      lateness.record(late)
      let call = try caller.send()
      if first == nil { first = call }
      sent += 1
    }
  }

  private func takeReplies() throws {
    while let call = try caller.receive(waits: false) {
      answered += 1
      if subscriber == nil, let first { end(Int(call - first.call)) }
    }
  }

  private func takePushes() throws {
    while let subscriber, try subscriber.receive(waits: false) {
      // A push of earlier saves may still come.
      guard let record = try subscriber.record(), let first, record >= first.record else {
        continue
      }
      end(record - first.record)
    }
  }

  private func end(_ number: Int) { latencies.record(Clock.now() - due(number)) }

  /// Waits for a message or the next call's time; both sockets were found without messages.
  private func wait(until due: UInt64?, quietSince: UInt64) throws {
    let now = Clock.now()
    guard now < quietSince + UInt64(RawSocket.timeoutMilliseconds) * 1_000_000 else {
      throw BenchError("\(sent - latencies.count) calls have not ended")
    }
    let nanoseconds = due.map { $0 > now ? $0 - now : 0 } ?? 100_000_000
    var timeout = timespec(tv_sec: 0, tv_nsec: Int(min(nanoseconds, 100_000_000)))
    // Of the calls that Swift sees, the one with a timeout in nanoseconds.
    var readable = fd_set()
    withUnsafeMutableBytes(of: &readable) { bits in
      for descriptor in descriptors { bits[Int(descriptor) / 8] |= 1 << UInt8(descriptor % 8) }
    }
    _ = pselect((descriptors.max() ?? 0) + 1, &readable, nil, nil, &timeout, nil)
  }
}
