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
}

/// The entries of a range in their order, over many zones, at one of them.
///
/// Of each zone no more than the first key is known until its turn comes. Later snapshots have no more entries as of
/// the query's begin, so that a merge which is `closed` goes on in them.
struct OrderedMerge {
  let range: KeyRange
  private var sources: Heap<OrderedEntries>
  /// Zones whose entries were read.
  private var openedCount = 0

  /// The entries from where a visit begins.
  init(
    _ visit: OrderedVisit,
    _ range: KeyRange,
    _ batches: EntryBatches,
    _ probe: ZoneProbe,
    _ interruption: Interruption
  ) throws {
    self.range = range
    var found: [OrderedEntries] = []
    if visit.zones.count <= ZoneChunks.unprobedMax {
      for zone in visit.zones {
        let first = OrderedEntries(zone, visit, range, at: range.lower)
        let limit = EntryBatches.entries(sources: visit.zones.count)
        if let source = try first.opened(batches, limit: limit) { found.append(source) }
      }
      openedCount = visit.zones.count
    } else {
      let rest = visit.rest(of: range)
      for chunk in ZoneChunks(visit.zones[...]) {
        try interruption.step()
        let keys = try probe.firstKeys(
          visit.index,
          rest,
          in: chunk.zones,
          isDescending: visit.isDescending
        )
        found += keys.map { OrderedEntries($0.zone, visit, range, at: $0.key) }
      }
    }
    sources = Heap(found)
  }

  /// The first entry; `nil`: there are no more.
  mutating func first(_ batches: EntryBatches, _ visit: OrderedVisit) throws -> OrderedEntries? {
    while let first = sources.first {
      if first.isOpen { return first }
      // Its zone may have been deleted since an earlier slice.
      guard visit.zones.zone(numbered: first.zone.number) != nil else {
        sources.replaceFirst(with: nil)
        continue
      }
      openedCount += 1
      let limit = EntryBatches.entries(sources: openedCount)
      sources.replaceFirst(with: try first.opened(batches, limit: limit))
    }
    return nil
  }

  /// Goes on to the next entry.
  mutating func removeFirst(_ batches: EntryBatches) throws {
    sources.replaceFirst(with: try sources.first?.next(batches))
  }

  /// The same without what was read of a snapshot.
  func closed() -> OrderedMerge {
    var closed = self
    closed.sources.update { $0.close() }
    closed.openedCount = 0
    return closed
  }
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
  private(set) var key: IndexKey
  private(set) var name = ""
  /// What was read; `nil`: nothing was.
  private var batch: EntryBatch?
  private var location = 0
  private var limit = 0

  /// The entries from where a visit begins, none of which come before a key.
  init(_ zone: QueryZone, _ visit: OrderedVisit, _ range: KeyRange, at key: IndexKey) {
    (self.zone, self.range, self.key) = (zone, range, key)
    (index, isDescending) = (visit.index, visit.isDescending)
    position = visit.location(in: zone, range)
  }

  var isOpen: Bool { batch != nil }
  var isCurrent: Bool { batch?.entries[location].isCurrent ?? false }

  /// The same at its first entry; `nil` when there is none.
  func opened(_ batches: EntryBatches, limit: Int) throws -> OrderedEntries? {
    var opened = self
    opened.limit = limit
    return try opened.read(from: position, batches) ? opened : nil
  }

  /// The same at the next entry; `nil` when there is none.
  func next(_ batches: EntryBatches) throws -> OrderedEntries? {
    guard let batch else { return nil }
    var next = self
    next.location += 1
    if next.location == batch.entries.count {
      guard let position = batch.next, try next.read(from: position, batches) else { return nil }
    }
    next.arrive()
    return next
  }

  /// Forgets what was read, but not where it is.
  mutating func close() {
    guard batch != nil else { return }
    batch = nil
    position = isDescending ? .descending(key, name) : .ascending(key, name)
  }

  private mutating func read(from position: EntryPosition, _ batches: EntryBatches) throws -> Bool {
    let batch = try batches.ordered(index, range, in: zone, from: position, limit: limit)
    if batch.entries.isEmpty { return false }
    (self.batch, location) = (batch, 0)
    arrive()
    return true
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
