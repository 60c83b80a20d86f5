/// The calls that a server runs as tasks: which exist, until when, and with how much credit.
///
/// A value without clock, lock or socket: events go in, what is to be done comes out. Calls that
/// are answered within a turn of the loop never enter it.
public struct ServerCallTable<Peer: Hashable> {
  /// Names a running call within this process; unlike a call id, it is never used twice.
  public typealias Number = UInt64

  /// Names a call as its client does.
  public struct Key: Hashable {
    /// Where the answer goes.
    public let peer: Peer
    /// Unique among the peer's running calls.
    public let callID: UInt64

    /// A call of a peer.
    public init(peer: Peer, callID: UInt64) {
      self.peer = peer
      self.callID = callID
    }
  }

  /// What becomes of a new call.
  public enum Start: Equatable {
    /// Run it under this number.
    case run(Number)
    /// Answer it with an error.
    case refuse(RPCError)
  }

  /// What is to be done after an event.
  public enum Action: Equatable {
    /// Send the final response of a call.
    case fail(Key, RPCError)
    /// Cancel the task and close its stream with the error.
    case cancelTask(Number, RPCError)
  }

  private struct Call {
    let key: Key
    let deadline: ContinuousClock.Instant?
    var credit: CreditWindow?
    var stalled: ContinuousClock.Instant?
    var timer: ContinuousClock.Instant? {
      guard let deadline else { return stalled }
      return stalled.map { min($0, deadline) } ?? deadline
    }
  }

  /// The tasks of a caller, and the bytes of their requests.
  private struct Load {
    var count = 0
    var bytes = 0
  }

  private let callsMax: Int
  private let callsPerCallerMax: Int
  private let requestBytesMax: Int
  private let stallMax: Duration
  private var numbers: [Key: Number] = [:]
  private var calls: [Number: Call] = [:]
  /// Who has a task, and what its request takes.
  private var tasks: [Number: (caller: CallerKey, bytes: Int)] = [:]
  private var loads: [CallerKey: Load] = [:]
  private var requestBytes = 0
  private var lastNumber: Number = 0
  /// A moment not after the first timer; timers are looked for only then.
  private var earliest: ContinuousClock.Instant?

  /// A table with limits on running tasks, of all and of one caller, and on what their requests take; those of one caller
  /// take half of it.
  public init(
    callsMax: Int = WireLimits.callsInFlightMax,
    callsPerCallerMax: Int = .max,
    requestBytesMax: Int = .max,
    stallMax: Duration = WireLimits.creditStallMax
  ) {
    self.callsMax = callsMax
    self.callsPerCallerMax = callsPerCallerMax
    self.requestBytesMax = requestBytesMax
    self.stallMax = stallMax
  }

  /// How many tasks run, those included whose call is already answered.
  public var tasksRunning: Int { tasks.count }
  /// How many calls wait for an answer.
  public var callsOpen: Int { calls.count }
  /// How many calls of some peers wait for an answer.
  public func count(where isMeant: (Peer) -> Bool) -> Int {
    calls.values.count { isMeant($0.key.peer) }
  }
  /// When `expire` is to be called next.
  public var nextTimer: ContinuousClock.Instant? { earliest }

  /// Admits a call.
  ///
  /// - Parameters:
  ///   - key: The connection, and how it names the call.
  ///   - caller: Who calls.
  ///   - bytes: What its request takes until the task ends.
  ///   - credit: The header's credit for a stream (0 counts as the default); `nil` for unary.
  ///   - deadline: When the answer is no longer wanted.
  ///   - now: The current time.
  /// - Returns: Its number, or why it is refused: `deadlineExceeded`, `invalidArgument` for an id
  ///   in use, `resourceExhausted` at the limit.
  public mutating func start(
    _ key: Key,
    of caller: CallerKey = .nobody,
    bytes: Int = 0,
    credit: UInt32?,
    deadline: ContinuousClock.Instant?,
    now: ContinuousClock.Instant
  ) -> Start {
    if let deadline, deadline <= now { return .refuse(.deadlinePassed) }
    if numbers[key] != nil {
      return .refuse(.callIDInUse(key.callID))
    }
    if tasks.count >= callsMax {
      return .refuse(
        RPCError(
          .resourceExhausted,
          "\(callsMax) calls are running, which is the limit",
          details: [.retryInfo(after: .milliseconds(100))]
        )
      )
    }
    var load = loads[caller] ?? Load()
    if load.count >= callsPerCallerMax {
      return .refuse(
        RPCError(
          .resourceExhausted,
          "\(callsPerCallerMax) calls of yours are running, which is the limit: wait for some of "
            + "them",
          details: [.retryInfo(after: .milliseconds(100))]
        )
      )
    }
    guard bytes <= requestBytesMax - requestBytes, bytes <= requestBytesMax / 2 - load.bytes else {
      return .refuse(
        RPCError(
          .resourceExhausted,
          "the requests of running calls of this kind take \(requestBytes) bytes, \(load.bytes) of them yours, and may "
            + "take \(requestBytesMax), half of them yours: wait for some of them, or send less",
          details: [.retryInfo(after: .milliseconds(100))]
        )
      )
    }
    lastNumber += 1
    numbers[key] = lastNumber
    let call = Call(
      key: key,
      deadline: deadline,
      credit: credit.map { CreditWindow(requested: $0) }
    )
    calls[lastNumber] = call
    tasks[lastNumber] = (caller, bytes)
    (load.count, load.bytes) = (load.count + 1, load.bytes + bytes)
    loads[caller] = load
    requestBytes += bytes
    wake(at: call.timer)
    return .run(lastNumber)
  }

  /// The client gave a call up; unknown calls are ignored.
  public mutating func cancel(_ key: Key) -> [Action] {
    guard let number = numbers[key] else { return [] }
    return end(number, .cancelledByClient)
  }

  /// The client lets a stream send more.
  ///
  /// - Returns: The stream's number; `nil` when there is no such stream.
  public mutating func credit(_ key: Key, count: UInt32) -> Number? {
    guard let number = numbers[key], calls[number]?.credit != nil, count > 0 else { return nil }
    calls[number]?.credit?.grant(Int(count))
    calls[number]?.stalled = nil
    return number
  }

  /// A stream's task has a message to send.
  ///
  /// - Returns: The call to send it on; `nil` when the call is over.
  public mutating func message(_ number: Number, now: ContinuousClock.Instant) -> Key? {
    guard var call = calls[number] else { return nil }
    _ = call.credit?.take()
    if call.credit?.open == 0 {
      call.stalled = now.advanced(by: stallMax)
      wake(at: call.stalled)
    }
    calls[number] = call
    return call.key
  }

  /// A task ended.
  ///
  /// - Returns: The call to answer; `nil` when it is already answered.
  public mutating func finished(_ number: Number) -> Key? {
    if let (caller, bytes) = tasks.removeValue(forKey: number), var load = loads[caller] {
      (load.count, load.bytes) = (load.count - 1, load.bytes - bytes)
      loads[caller] = load.count == 0 ? nil : load
      requestBytes -= bytes
    }
    return forget(number)?.key
  }

  /// Ends the calls whose deadline passed.
  public mutating func expire(_ now: ContinuousClock.Instant) -> [Action] {
    guard let earliest, earliest <= now else { return [] }
    self.earliest = nil
    var actions: [Action] = []
    for (number, call) in calls {
      guard let timer = call.timer else { continue }
      if timer > now {
        wake(at: timer)
      } else if let deadline = call.deadline, deadline <= now {
        actions += end(number, .deadlinePassed)
      } else {
        actions += end(
          number,
          RPCError(.cancelled, "the client granted no credit for \(stallMax)")
        )
      }
    }
    return actions
  }

  /// A peer is gone: its tasks are cancelled, nobody is answered.
  public mutating func peerGone(_ isGone: (Peer) -> Bool) -> [Action] {
    let gone = calls.filter { isGone($0.value.key.peer) }.map(\.key)
    return gone.flatMap { number in
      end(number, .cancelledByClient).filter { action in
        if case .cancelTask = action { true } else { false }
      }
    }
  }

  /// Ends all calls with an error.
  public mutating func endAll(_ error: RPCError) -> [Action] {
    calls.keys.sorted().flatMap { end($0, error) }
  }

  /// Ends a call with an error; one that has ended already is ignored.
  public mutating func end(_ number: Number, _ error: RPCError) -> [Action] {
    guard let call = forget(number) else { return [] }
    return [.cancelTask(number, error), .fail(call.key, error)]
  }

  private mutating func forget(_ number: Number) -> Call? {
    guard let call = calls.removeValue(forKey: number) else { return nil }
    numbers[call.key] = nil
    return call
  }

  private mutating func wake(at timer: ContinuousClock.Instant?) {
    guard let timer else { return }
    earliest = earliest.map { min($0, timer) } ?? timer
  }
}
