internal import TidingsModel

/// An ordered access, and where it begins.
struct OrderedVisit {
  let index: Int64
  let isDescending: Bool
  let zones: [QueryZone]
  let start: QueryPosition?

  /// Where a zone begins in a range.
  func location(in zone: QueryZone, _ range: KeyRange) -> EntryPosition {
    guard let start, let key = start.keys.first, range.contains(key) else {
      return isDescending ? .below(range.upper) : .ascending(range.lower, "")
    }
    // Zones before it have no more entries of its key.
    guard zone.number >= start.zone else {
      return isDescending ? .below(key) : .ascending(key.successor, "")
    }
    let name = zone.number == start.zone ? start.name : ""
    return isDescending ? .descending(key, name) : .ascending(key, name)
  }

  /// The part of a range in which zones may have entries.
  fileprivate func rest(of range: KeyRange) -> KeyRange {
    guard let key = start?.keys.first, range.contains(key) else { return range }
    return isDescending
      ? KeyRange(lower: range.lower, upper: key.successor)
      : KeyRange(lower: key, upper: range.upper)
  }

  fileprivate func has(_ zone: QueryZone) -> Bool { zones.zone(numbered: zone.number) != nil }
}

/// The entries of a range in their order, over many zones, at one of them.
///
/// Of each zone no more than the first key is known until its turn comes. Later snapshots have no more entries as of
/// the query's begin, so that a merge which is `closed` goes on in them.
///
/// What comes next is read together, of one zone first and then of more and more: a page that ends soon needs few, and
/// where the store is remote each reading is a wait.
struct OrderedMerge {
  let range: KeyRange
  /// Where the zones that were looked at begin, before they are in `unread`.
  private var found: [ZoneBegin] = []
  /// The lowest number of a zone that was not looked at; `nil`: all were.
  private var nextZone: Int64? = 0
  /// Zones of which nothing was read.
  private var unread = Heap<ZoneBegin>([])
  /// The others.
  private var sources = Heap<OrderedEntries>([])
  /// The entries before those of `sources`, in their order.
  private var ahead: [WantedRecord] = []
  /// Zones whose entries were read.
  private var openedCount = 0
  /// Zones whose entries are read together the next time, and entries that come `ahead`.
  private var (openedMax, aheadMax) = (1, 1)

  init(_ range: KeyRange) { self.range = range }

  /// Looks where the entries of the zones begin, of many zones at a time.
  ///
  /// - Parameters:
  ///   - visit: The access.
  ///   - batches: What to read with.
  ///   - probe: What to look with.
  ///   - interruption: Ends a query that nobody waits for.
  ///   - chunks: How often to look before the rest may be for another slice.
  ///   - isOver: Whether it is.
  /// - Returns: Whether all zones were looked at.
  /// - Throws: `SQLError`; what ends the query.
  mutating func begin(
    _ visit: OrderedVisit,
    _ batches: EntryBatches,
    _ probe: ZoneProbe,
    _ interruption: Interruption,
    chunks: Int,
    until isOver: () -> Bool
  ) throws -> Bool {
    guard let nextZone else { return true }
    if nextZone == 0, visit.zones.count <= ZoneChunks.unprobedMax {
      let entries = visit.zones.map { OrderedEntries($0, visit, range, at: range.lower) }
      sources = Heap(try opened(entries, batches))
    } else {
      let rest = visit.rest(of: range)
      let zones = visit.zones[visit.zones[...].firstIndex(from: nextZone)...]
      for (count, chunk) in ZoneChunks(zones).enumerated() {
        if count >= chunks, isOver() { return false }
        try interruption.step()
        let keys = try probe.firstKeys(
          visit.index,
          rest,
          in: chunk.zones,
          isDescending: visit.isDescending
        )
        for (zone, key) in keys {
          found.append(ZoneBegin(key: key, zone: zone, isDescending: visit.isDescending))
        }
        self.nextZone = chunk.zones.last.map { $0.number + 1 }
      }
      unread = Heap(found)
      found = []
    }
    self.nextZone = nil
    return true
  }

  /// The next entries, at most `SimilarStatements.countMax`; none: there are no more.
  mutating func next(_ batches: EntryBatches, _ visit: OrderedVisit) throws -> [WantedRecord] {
    // Zones may have been deleted since an earlier slice.
    ahead.removeAll { !visit.has($0.zone) }
    guard ahead.isEmpty else { return ahead }
    while ahead.count < aheadMax, let first = try first(batches, visit) {
      ahead.append(first.record)
      sources.replaceFirst(with: first.next())
    }
    aheadMax = min(2 * aheadMax, SimilarStatements.countMax)
    return ahead
  }

  /// Goes on to the entry behind so many.
  mutating func removeFirst(_ count: Int) { ahead.removeFirst(count) }

  /// The same without what was read of a snapshot.
  func closed() -> OrderedMerge {
    var closed = self
    closed.sources.update { $0.close() }
    // What is true in this snapshot need not be true in the next one.
    for index in closed.ahead.indices { closed.ahead[index].isCurrent = false }
    (closed.openedCount, closed.openedMax, closed.aheadMax) = (0, 1, 1)
    return closed
  }

  private mutating func first(
    _ batches: EntryBatches,
    _ visit: OrderedVisit
  ) throws -> OrderedEntries? {
    while true {
      var (entries, isAny) = ([] as [OrderedEntries], false)
      while entries.count < openedMax, let next = popClosed(visit) {
        if visit.has(next.zone) { entries.append(next) }
        isAny = true
      }
      guard isAny else { return sources.first }
      openedMax = min(2 * openedMax, SimilarStatements.countMax)
      for opened in try opened(entries, batches) { sources.insert(opened) }
    }
  }

  /// Removes the entries that come first, unless they are open.
  private mutating func popClosed(_ visit: OrderedVisit) -> OrderedEntries? {
    let first = sources.first
    if let begin = unread.first, first.map({ begin.precedes($0) }) ?? true {
      unread.replaceFirst(with: nil)
      return OrderedEntries(begin.zone, visit, range, at: begin.key)
    }
    guard let first, !first.isOpen else { return nil }
    sources.replaceFirst(with: nil)
    return first
  }

  /// Those of some zones that have entries, at the first of them.
  private mutating func opened(
    _ entries: [OrderedEntries],
    _ batches: EntryBatches
  ) throws -> [OrderedEntries] {
    openedCount += entries.count { !$0.wasOpen }
    let limit = EntryBatches.entries(sources: openedCount)
    let read = try batches.ordered(entries.map { $0.request(limit: limit) })
    return zip(entries, read).compactMap { entries, batch in entries.opened(with: batch) }
  }
}

/// Where the entries of a range in one zone begin: small, because there are many.
private struct ZoneBegin: Comparable {
  /// No entry comes before this key.
  let key: IndexKey
  let zone: QueryZone
  let isDescending: Bool

  func precedes(_ entries: OrderedEntries) -> Bool { precedes(entries.key, entries.zone) }

  private func precedes(_ other: IndexKey, _ otherZone: QueryZone) -> Bool {
    if key != other { return isDescending ? other < key : key < other }
    return zone.number < otherZone.number
  }

  static func < (a: Self, b: Self) -> Bool { a.precedes(b.key, b.zone) }
  static func == (a: Self, b: Self) -> Bool { !(a < b) && !(b < a) }
}

/// The entries of a range in one zone, at one of them, or before the first one that may be there.
struct OrderedEntries: Comparable {
  let zone: QueryZone
  private let index: Int64
  private let range: KeyRange
  private let isDescending: Bool
  /// Where to begin reading.
  private var position: EntryPosition
  /// No entry comes before this key, and of this key none before this name.
  fileprivate var key: IndexKey
  private var name = ""
  /// What was read; `nil`: nothing was.
  private var batch: EntryBatch?
  private var location = 0
  /// Entries before these were read of the snapshot.
  private(set) var wasOpen = false

  /// The entries from where a visit begins, none of which come before a key.
  init(_ zone: QueryZone, _ visit: OrderedVisit, _ range: KeyRange, at key: IndexKey) {
    (self.zone, self.range, self.key) = (zone, range, key)
    (index, isDescending) = (visit.index, visit.isDescending)
    position = visit.location(in: zone, range)
  }

  var isOpen: Bool { batch != nil }

  /// The entry that these are at.
  var record: WantedRecord {
    WantedRecord(
      zone: zone,
      name: name,
      key: key,
      isCurrent: batch?.entries[location].isCurrent ?? false
    )
  }

  /// What is to be read.
  func request(limit: Int) -> EntryRequest {
    EntryRequest(index: index, range: range, zone: zone, position: position, limit: limit)
  }

  /// The same at the first entry of what was read; `nil` when there is none.
  func opened(with batch: EntryBatch) -> OrderedEntries? {
    if batch.entries.isEmpty { return nil }
    var opened = self
    (opened.batch, opened.location, opened.wasOpen) = (batch, 0, true)
    opened.arrive()
    return opened
  }

  /// The same at the next entry, or before it, if it has to be read; `nil` when there is none.
  func next() -> OrderedEntries? {
    guard let batch else { return nil }
    var next = self
    next.location += 1
    if next.location == batch.entries.count {
      guard let position = batch.next else { return nil }
      (next.batch, next.position) = (nil, position)
    } else {
      next.arrive()
    }
    return next
  }

  /// Forgets what was read, but not where it is.
  mutating func close() {
    wasOpen = false
    guard batch != nil else { return }
    batch = nil
    position = isDescending ? .descending(key, name) : .ascending(key, name)
  }

  private mutating func arrive() {
    guard let entry = batch?.entries[location] else { return }
    (key, name) = (entry.key, entry.name)
  }

  static func < (a: Self, b: Self) -> Bool {
    if a.key != b.key { return a.isDescending ? b.key < a.key : a.key < b.key }
    return (a.zone.number, a.name) < (b.zone.number, b.name)
  }

  static func == (a: Self, b: Self) -> Bool { !(a < b) && !(b < a) }
}
