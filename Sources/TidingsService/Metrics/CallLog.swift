internal import Synchronization
internal import TidingsLogging
internal import TidingsModel
internal import TidingsRPC
internal import TidingsTracing
internal import TidingsZeroMQ

/// Logs slow calls, and with the level `debug` all of them.
///
/// Lines have what calls took and touched, never what they contain. Their spans are recorded, if somebody collects them.
/// It is of the process, and follows one loop after the other; the loop's thread calls it.
final class CallLog: Sendable {
  /// A call that was slow.
  struct SlowCall: Sendable {
    let time: Timestamp
    let method: String
    let code: StatusCode
    let nanoseconds: UInt64
    let requestID: String
    let plan: String
  }

  fileprivate struct State {
    var slowMilliseconds: Int
    var slowCalls: [SlowCall] = []
    /// Slow calls of this second that were logged.
    var loggedCount = 0
    var second: ContinuousClock.Instant = .now
  }

  /// The newest slow calls are kept.
  private static let slowCallsMax = 64
  /// Most lines about slow calls in a second; what exceeds them is counted in the next line.
  private static let linesPerSecondMax = 20

  private let logger: Logger
  /// Records the spans of calls; `nil`: nobody collects them.
  let tracer: Tracer?
  private let state: Mutex<State>

  init(_ logger: Logger, slowMilliseconds: Int, tracer: Tracer? = nil) {
    (self.logger, self.tracer) = (logger, tracer)
    state = Mutex(State(slowMilliseconds: slowMilliseconds))
  }

  /// Calls that take longer are slow, in milliseconds; 0: none is.
  var slowMilliseconds: Int { state.withLock(\.slowMilliseconds) }

  /// The newest slow calls, oldest first.
  var slowCalls: [SlowCall] { state.withLock(\.slowCalls) }

  /// Sets which calls are slow; `follow` lets a loop know.
  func setSlow(milliseconds: Int) { state.withLock { $0.slowMilliseconds = milliseconds } }

  /// Logs the calls of a loop from now on, as the level and the threshold ask for.
  func follow(_ loop: LoopContext) {
    let slow = slowMilliseconds
    loop.observation.slowMin = slow == 0 ? .max : UInt64(slow) * 1_000_000
    loop.observation.observesAll = logger.level == .debug || tracer?.sampler.samplesOwn == true
    loop.observation.observesMarked = slow > 0 || tracer != nil
    loop.observation.began = tracer.map { tracer in { $0.beginSpan(by: tracer) } }
    loop.observation.ended = { [self] call, code, nanoseconds, _ in
      ended(call, code, nanoseconds)
      if let tracer { call.endSpan(code, by: tracer) }
    }
  }

  private func ended(_ call: ObservedCall, _ code: StatusCode, _ nanoseconds: UInt64) {
    let (isSlow, skipped) = state.withLock { state -> (Bool, Int?) in
      guard state.slowMilliseconds > 0, call.method.kind == .unary,
        nanoseconds > UInt64(state.slowMilliseconds) * 1_000_000
      else { return (false, nil) }
      state.note(
        SlowCall(
          time: .now,
          method: call.method.fullName,
          code: code,
          nanoseconds: nanoseconds,
          requestID: call.requestID,
          plan: call.plan ?? ""
        ),
        countMax: Self.slowCallsMax
      )
      return (true, state.line(of: .now, perSecondMax: Self.linesPerSecondMax))
    }
    if isSlow {
      guard let skipped else { return }
      var values = Self.values(call, code, nanoseconds)
      if skipped > 0 { values.append(("skipped", .integer(skipped))) }
      logger.log(.warning, "slow call", values: values)
    } else if logger.level == .debug {
      logger.log(.debug, "call", values: Self.values(call, code, nanoseconds))
    }
  }

  private static func values(
    _ call: ObservedCall,
    _ code: StatusCode,
    _ nanoseconds: UInt64
  ) -> [(String, Logger.Value)] {
    var values: [(String, Logger.Value)] = [
      ("method", .string(call.method.fullName)), ("code", .string(code.description)),
      ("durationMilliseconds", .double((Double(nanoseconds) / 1e3).rounded() / 1e3)),
    ]
    if !call.requestID.isEmpty { values.append(("requestId", .string(call.requestID))) }
    if let trace = call.span?.context ?? TraceContext(call.traceParent) {
      values.append(("traceId", .string(trace.traceID.text)))
    }
    let counts = [
      ("zones", call.touched.zones), ("recordsRead", call.touched.recordsRead),
      ("recordsSaved", call.touched.recordsSaved), ("recordsDeleted", call.touched.recordsDeleted),
      ("requestBytes", call.touched.requestBytes),
    ]
    values += counts.filter { $0.1 > 0 }.map { ($0.0, .integer($0.1)) }
    if let plan = call.plan { values.append(("plan", .string(plan))) }
    return values
  }
}

extension CallLog.State {
  fileprivate mutating func note(_ call: CallLog.SlowCall, countMax: Int) {
    if slowCalls.count >= countMax { slowCalls.removeFirst() }
    slowCalls.append(call)
  }

  /// Whether a slow call is logged: with how many were not before; `nil`: it is not.
  fileprivate mutating func line(of now: ContinuousClock.Instant, perSecondMax: Int) -> Int? {
    var skipped = 0
    if second.duration(to: now) > .seconds(1) {
      skipped = max(0, loggedCount - perSecondMax)
      (second, loggedCount) = (now, 0)
    }
    loggedCount += 1
    return loggedCount <= perSecondMax ? skipped : nil
  }
}
