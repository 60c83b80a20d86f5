internal import TidingsEngine
internal import TidingsModel
internal import TidingsRPC

/// Calls that wait for a change: which wait for what, until when, and which are to be run again.
///
/// A value without clock or thread: events go in, calls come out.
struct WaitingCalls<Call> {
  /// Names a wait; never used twice.
  typealias ID = UInt64

  private struct Waiter {
    let call: Call
    let caller: CallerKey
    let watch: FeedWatch
    let connection: UInt64
    let bytes: Int
    let end: ContinuousClock.Instant
  }

  private let countMax: Int
  private let countPerCallerMax: Int
  private let bytesMax: Int
  private var waiters: [ID: Waiter] = [:]
  private var byZone: [ChangedZone: Set<ID>] = [:]
  private var byDatabase: [DatabaseID: Set<ID>] = [:]
  private var byShare: [Int64: Set<ID>] = [:]
  private var byConnection: [UInt64: Set<ID>] = [:]
  private var timers = TimerHeap<ID>()
  private var timerCount = 0
  private var woken = FairQueue<CallerKey, Call>(.init(countMax: .max, bytesMax: .max))
  private var lastID: ID = 0
  private var bytes = 0
  private var counts: [CallerKey: Int] = [:]
  /// Zones and shares that the calls of one caller wait for: one change may wake all of them.
  private var partCounts: [CallerKey: Int] = [:]
  private static var partsPerCallerMax: Int { 50_000 }

  /// A table with limits on how many calls wait, of all and of one caller, and on what they hold.
  init(countMax: Int, countPerCallerMax: Int = .max, bytesMax: Int) {
    self.countMax = countMax
    self.countPerCallerMax = countPerCallerMax
    self.bytesMax = bytesMax
  }

  /// Nobody waits.
  var isEmpty: Bool { waiters.isEmpty && woken.isEmpty }
  var count: Int { waiters.count + woken.count }
  /// When `expire` is to be called next.
  var nextTimer: ContinuousClock.Instant? { waiters.isEmpty ? nil : timers.next }

  /// Lets a call wait.
  ///
  /// - Parameters:
  ///   - call: The call.
  ///   - caller: Who waits.
  ///   - connection: Where.
  ///   - watch: What wakes it.
  ///   - count: How many bytes it holds.
  ///   - end: When it is given up.
  /// - Returns: The name of its wait; `nil` when too many wait already, or too many of this caller.
  mutating func park(
    _ call: Call,
    of caller: CallerKey = .nobody,
    on connection: UInt64 = 0,
    for watch: FeedWatch,
    bytes count: Int,
    until end: ContinuousClock.Instant
  ) -> ID? {
    guard waiters.count + woken.count < countMax, bytes + count <= bytesMax,
      counts[caller, default: 0] < countPerCallerMax,
      partCounts[caller, default: 0] + watch.partCount <= Self.partsPerCallerMax
    else { return nil }
    if watch.partCount > 0 { partCounts[caller, default: 0] += watch.partCount }
    lastID += 1
    counts[caller, default: 0] += 1
    waiters[lastID] = Waiter(
      call: call,
      caller: caller,
      watch: watch,
      connection: connection,
      bytes: count,
      end: end
    )
    byConnection[connection, default: []].insert(lastID)
    bytes += count
    for zone in watch.ownZones {
      byZone[ChangedZone(database: watch.database, zone: zone), default: []].insert(lastID)
    }
    for share in watch.shares { byShare[share, default: []].insert(lastID) }
    if watch.ownZones.isEmpty { byDatabase[watch.database, default: []].insert(lastID) }
    addTimer(lastID, at: end)
    return lastID
  }

  /// Zones changed: who waits for one of them is to be run again.
  ///
  /// - Parameters:
  ///   - zones: The zones.
  ///   - shares: Shares that hold what changed.
  ///   - databases: Shared databases of users who accepted or lost a share.
  ///   - note: Changes each call that is woken.
  mutating func wake(
    _ zones: [ChangedZone],
    shares: Set<Int64> = [],
    databases: Set<DatabaseID> = [],
    note: ((inout Call) -> Void)? = nil
  ) {
    var ids: Set<ID> = []
    for share in shares { ids.formUnion(byShare[share] ?? []) }
    for database in databases { ids.formUnion(byDatabase[database] ?? []) }
    for zone in zones {
      ids.formUnion(byZone[zone] ?? [])
      ids.formUnion(byDatabase[zone.database] ?? [])
    }
    for id in ids.sorted() {
      guard let waiter = remove(id) else { continue }
      var call = waiter.call
      note?(&call)
      _ = woken.add(call, of: waiter.caller)
    }
  }

  /// The next call to be run again; callers have their turns.
  mutating func popWoken() -> Call? { woken.takeNext()?.element }

  /// The calls whose wait is over.
  mutating func expire(_ now: ContinuousClock.Instant) -> [Call] {
    var calls: [Call] = []
    // Timers of calls that were woken name nobody.
    while let id = timers.popDue(at: now) {
      timerCount -= 1
      if let waiter = remove(id) { calls.append(waiter.call) }
    }
    return calls
  }

  /// Ends a wait.
  ///
  /// - Returns: The call; `nil` when its wait is over, also if it was woken.
  mutating func take(_ id: ID) -> Call? { remove(id)?.call }

  /// Ends some waits.
  mutating func take(where isTaken: (Call) -> Bool) -> [Call] {
    let ids = waiters.filter { isTaken($0.value.call) }.keys.sorted()
    var taken: [Call] = []
    for (call, caller) in woken.takeAll() {
      if isTaken(call) { taken.append(call) } else { _ = woken.add(call, of: caller) }
    }
    return taken + ids.compactMap { remove($0)?.call }
  }

  /// Ends the waits on a connection; those of calls that were woken go on.
  mutating func take(on connection: UInt64) -> [Call] {
    guard let ids = byConnection[connection] else { return [] }
    return ids.sorted().compactMap { remove($0)?.call }
  }

  /// Ends all waits.
  mutating func takeAll() -> [Call] {
    defer {
      self = Self(countMax: countMax, countPerCallerMax: countPerCallerMax, bytesMax: bytesMax)
    }
    return woken.takeAll().map(\.element) + waiters.keys.sorted().compactMap { waiters[$0]?.call }
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

  private mutating func remove(_ id: ID) -> Waiter? {
    guard let waiter = waiters.removeValue(forKey: id) else { return nil }
    bytes -= waiter.bytes
    let count = counts[waiter.caller, default: 1] - 1
    counts[waiter.caller] = count == 0 ? nil : count
    if waiter.watch.partCount > 0 {
      let parts = partCounts[waiter.caller, default: 0] - waiter.watch.partCount
      partCounts[waiter.caller] = parts == 0 ? nil : parts
    }
    for zone in waiter.watch.ownZones {
      let key = ChangedZone(database: waiter.watch.database, zone: zone)
      byZone[key]?.remove(id)
      if byZone[key]?.isEmpty == true { byZone[key] = nil }
    }
    for share in waiter.watch.shares {
      byShare[share]?.remove(id)
      if byShare[share]?.isEmpty == true { byShare[share] = nil }
    }
    byConnection[waiter.connection]?.remove(id)
    if byConnection[waiter.connection]?.isEmpty == true { byConnection[waiter.connection] = nil }
    if waiter.watch.ownZones.isEmpty {
      byDatabase[waiter.watch.database]?.remove(id)
      if byDatabase[waiter.watch.database]?.isEmpty == true {
        byDatabase[waiter.watch.database] = nil
      }
    }
    return waiter
  }
}
