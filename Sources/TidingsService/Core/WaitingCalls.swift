internal import TidingsEngine
internal import TidingsModel

/// Calls that wait for a change: which wait for what, until when, and which are to be run again.
///
/// A value without clock or thread: events go in, calls come out.
struct WaitingCalls<Call> {
  private typealias ID = UInt64

  private struct Waiter {
    let call: Call
    let watch: FeedWatch
    let bytes: Int
    let end: ContinuousClock.Instant
  }

  private let countMax: Int
  private let bytesMax: Int
  private var waiters: [ID: Waiter] = [:]
  private var byZone: [ChangedZone: Set<ID>] = [:]
  private var byDatabase: [DatabaseID: Set<ID>] = [:]
  private var byShare: [Int64: Set<ID>] = [:]
  private var timers = TimerHeap<ID>()
  private var timerCount = 0
  /// Woken, the earliest last.
  private var woken: [Call] = []
  private var lastID: ID = 0
  private var bytes = 0

  /// A table with limits on how many calls wait, and on what they hold.
  init(countMax: Int, bytesMax: Int) {
    self.countMax = countMax
    self.bytesMax = bytesMax
  }

  /// Nobody waits.
  var isEmpty: Bool { waiters.isEmpty && woken.isEmpty }
  /// When `expire` is to be called next.
  var nextTimer: ContinuousClock.Instant? { waiters.isEmpty ? nil : timers.next }

  /// Lets a call wait.
  ///
  /// - Parameters:
  ///   - call: The call.
  ///   - watch: What wakes it.
  ///   - count: How many bytes it holds.
  ///   - end: When it is given up.
  /// - Returns: `false` when too many wait already.
  mutating func park(
    _ call: Call,
    for watch: FeedWatch,
    bytes count: Int,
    until end: ContinuousClock.Instant
  ) -> Bool {
    guard waiters.count + woken.count < countMax, bytes + count <= bytesMax else { return false }
    lastID += 1
    waiters[lastID] = Waiter(call: call, watch: watch, bytes: count, end: end)
    bytes += count
    for zone in watch.ownZones {
      byZone[ChangedZone(database: watch.database, zone: zone), default: []].insert(lastID)
    }
    for share in watch.shares { byShare[share, default: []].insert(lastID) }
    if watch.ownZones.isEmpty { byDatabase[watch.database, default: []].insert(lastID) }
    addTimer(lastID, at: end)
    return true
  }

  /// Zones changed: who waits for one of them is to be run again.
  ///
  /// - Parameters:
  ///   - zones: The zones.
  ///   - shares: Shares that hold what changed.
  ///   - databases: Shared databases of users who accepted or lost a share.
  mutating func wake(
    _ zones: [ChangedZone],
    shares: Set<Int64> = [],
    databases: Set<DatabaseID> = []
  ) {
    var ids: Set<ID> = []
    for share in shares { ids.formUnion(byShare[share] ?? []) }
    for database in databases { ids.formUnion(byDatabase[database] ?? []) }
    for zone in zones {
      ids.formUnion(byZone[zone] ?? [])
      ids.formUnion(byDatabase[zone.database] ?? [])
    }
    woken.insert(contentsOf: ids.sorted(by: >).compactMap { remove($0) }, at: 0)
  }

  /// The next call to be run again.
  mutating func popWoken() -> Call? { woken.popLast() }

  /// The calls whose wait is over.
  mutating func expire(_ now: ContinuousClock.Instant) -> [Call] {
    var calls: [Call] = []
    // Timers of calls that were woken name nobody.
    while let id = timers.popDue(at: now) {
      timerCount -= 1
      if let call = remove(id) { calls.append(call) }
    }
    return calls
  }

  /// Ends some waits.
  mutating func take(where isTaken: (Call) -> Bool) -> [Call] {
    let ids = waiters.filter { isTaken($0.value.call) }.keys.sorted()
    let wokenCalls = woken.filter(isTaken)
    woken.removeAll(where: isTaken)
    return wokenCalls + ids.compactMap { remove($0) }
  }

  /// Ends all waits.
  mutating func takeAll() -> [Call] {
    defer { self = Self(countMax: countMax, bytesMax: bytesMax) }
    return woken.reversed() + waiters.keys.sorted().compactMap { waiters[$0]?.call }
  }

  /// Timers of calls that were woken stay until they are due, or too many.
  private mutating func addTimer(_ id: ID, at end: ContinuousClock.Instant) {
    timers.insert(id, due: end)
    timerCount += 1
    guard timerCount > 2 * countMax else { return }
    timers = TimerHeap()
    for (id, waiter) in waiters { timers.insert(id, due: waiter.end) }
    timerCount = waiters.count
  }

  private mutating func remove(_ id: ID) -> Call? {
    guard let waiter = waiters.removeValue(forKey: id) else { return nil }
    bytes -= waiter.bytes
    for zone in waiter.watch.ownZones {
      let key = ChangedZone(database: waiter.watch.database, zone: zone)
      byZone[key]?.remove(id)
      if byZone[key]?.isEmpty == true { byZone[key] = nil }
    }
    for share in waiter.watch.shares {
      byShare[share]?.remove(id)
      if byShare[share]?.isEmpty == true { byShare[share] = nil }
    }
    if waiter.watch.ownZones.isEmpty {
      byDatabase[waiter.watch.database]?.remove(id)
      if byDatabase[waiter.watch.database]?.isEmpty == true {
        byDatabase[waiter.watch.database] = nil
      }
    }
    return waiter.call
  }
}
