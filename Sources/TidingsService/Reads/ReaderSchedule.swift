internal import TidingsRPC

/// Decides which job the reader threads take up next.
///
/// A job begins in the short lane, which some threads keep to, and what it does not finish in its first
/// slice goes to the end of the long lane, slice by slice. In both lanes callers have turns. A caller whose
/// jobs took longer than their first slices owes that time: until it has passed, the caller's jobs begin in
/// the long lane, and others find the short one empty.
///
/// A value without clock or lock.
struct ReaderSchedule<Caller: Hashable & Sendable, Job: Sendable> {
  /// Which jobs a thread takes.
  enum Role {
    /// First slices only.
    case short
    /// First slices; others when there are none.
    case shortFirst
    /// Later slices; first ones when there are none.
    case longFirst
  }

  /// What may wait.
  struct Bounds {
    var countMax: Int
    var bytesMax: Int
    var countPerCallerMax: Int
    var bytesPerCallerMax: Int
    /// Jobs of a caller that are worked on at a time, in each lane.
    var takenPerCallerMax: Int
  }

  /// A job that a thread works on.
  struct Taken: Sendable {
    let job: Job
    let caller: Caller
    let bytes: Int
    let isLong: Bool
  }

  private struct Account {
    var count = 0
    var bytes = 0
    /// Until when the caller's jobs begin in the long lane.
    var owesUntil: ContinuousClock.Instant?
  }

  /// The most that a caller owes.
  static var debtMax: Duration { .seconds(10) }
  /// Callers that are remembered for what they owe only; with more, what is over is looked for.
  private static var idleAccountsMax: Int { 1_024 }

  private let bounds: Bounds
  private var short: FairQueue<Caller, (job: Job, bytes: Int)>
  private var long: FairQueue<Caller, (job: Job, bytes: Int)>
  private var accounts: [Caller: Account] = [:]
  private(set) var count = 0
  private var bytes = 0

  /// No job waits.
  init(_ bounds: Bounds) {
    self.bounds = bounds
    let lane = FairQueue<Caller, (job: Job, bytes: Int)>.Bounds(
      countMax: .max,
      bytesMax: .max,
      takenPerCallerMax: bounds.takenPerCallerMax
    )
    short = FairQueue(lane)
    long = FairQueue(lane)
  }

  /// How many jobs wait for their first slice in the short lane.
  var shortCount: Int { short.count }

  /// Lets a job wait.
  ///
  /// - Returns: `false` when too much waits, of all or of this caller.
  mutating func add(
    _ job: Job,
    of caller: Caller,
    bytes jobBytes: Int,
    at now: ContinuousClock.Instant
  ) -> Bool {
    var account = accounts[caller] ?? Account()
    guard count < bounds.countMax, jobBytes <= bounds.bytesMax - bytes,
      account.count < bounds.countPerCallerMax,
      jobBytes <= bounds.bytesPerCallerMax - account.bytes
    else { return false }
    account.count += 1
    account.bytes += jobBytes
    count += 1
    bytes += jobBytes
    let owes = account.owesUntil.map { $0 > now } ?? false
    accounts[caller] = account
    if owes {
      _ = long.add((job, jobBytes), of: caller)
    } else {
      _ = short.add((job, jobBytes), of: caller)
    }
    return true
  }

  /// Takes the next job for a thread; `nil`: there is none that it may work on.
  mutating func takeNext(_ role: Role) -> Taken? {
    switch role {
    case .short: takeShort()
    case .shortFirst: takeShort() ?? takeLong()
    case .longFirst: takeLong() ?? takeShort()
    }
  }

  private mutating func takeShort() -> Taken? { short.takeNext().map { taken($0, isLong: false) } }
  private mutating func takeLong() -> Taken? { long.takeNext().map { taken($0, isLong: true) } }

  private mutating func taken(
    _ next: (element: (job: Job, bytes: Int), caller: Caller),
    isLong: Bool
  ) -> Taken {
    Taken(job: next.element.job, caller: next.caller, bytes: next.element.bytes, isLong: isLong)
  }

  /// A slice of a job has ended.
  ///
  /// - Parameters:
  ///   - taken: The job.
  ///   - rest: What is left of it; `nil`: it is done.
  ///   - debt: How much longer the slice took than a first one may.
  ///   - now: The time.
  mutating func ended(
    _ taken: Taken,
    rest: Job?,
    debt: Duration,
    at now: ContinuousClock.Instant
  ) {
    if taken.isLong { long.ended(taken.caller) } else { short.ended(taken.caller) }
    var account = accounts[taken.caller] ?? Account()
    if debt > .zero {
      let end = max(account.owesUntil ?? now, now).advanced(by: debt)
      account.owesUntil = min(end, now.advanced(by: Self.debtMax))
    }
    if let rest {
      _ = long.add((rest, taken.bytes), of: taken.caller)
    } else {
      account.count -= 1
      account.bytes -= taken.bytes
      count -= 1
      bytes -= taken.bytes
    }
    accounts[taken.caller] = account
    if accounts.count > Self.idleAccountsMax + count { forgetIdle(at: now) }
  }

  /// Removes all jobs that wait.
  mutating func takeAll() -> [Job] {
    let all = short.takeAll().map(\.element.job) + long.takeAll().map(\.element.job)
    (accounts, count, bytes) = ([:], 0, 0)
    return all
  }

  private mutating func forgetIdle(at now: ContinuousClock.Instant) {
    accounts = accounts.filter { $0.value.count > 0 || ($0.value.owesUntil ?? now) > now }
  }
}
