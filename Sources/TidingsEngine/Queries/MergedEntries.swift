internal import TidingsModel

/// The entries of one key in one zone, at one of them.
struct NamedEntries: Comparable {
  private let index: Int64
  private let key: IndexKey
  private let zone: QueryZone
  private var batch: [VisitedEntry]
  private var location = 0

  /// The entries from a name on; `nil` when there are none.
  init?(
    _ index: Int64,
    _ key: IndexKey,
    _ zone: QueryZone,
    from name: String,
    _ batches: EntryBatches
  ) throws {
    (self.index, self.key, self.zone) = (index, key, zone)
    batch = try batches.named(index, key, in: zone, from: name)
    if batch.isEmpty { return nil }
  }

  var name: String { batch[location].name }
  var isCurrent: Bool { batch[location].isCurrent }

  /// The same at the next entry; `nil` when there is none.
  func next(_ batches: EntryBatches) throws -> NamedEntries? {
    var next = self
    next.location += 1
    if next.location == batch.count {
      guard batch.count == EntryBatches.entriesMax else { return nil }
      next.batch = try batches.named(index, key, in: zone, from: name.following)
      next.location = 0
      if next.batch.isEmpty { return nil }
    }
    return next
  }

  static func < (a: Self, b: Self) -> Bool { a.name < b.name }
  static func == (a: Self, b: Self) -> Bool { a.name == b.name }
}

/// The entries of a range in one zone, at one of them.
struct OrderedEntries: Comparable {
  let zone: QueryZone
  private let index: Int64
  private let range: KeyRange
  private let isDescending: Bool
  private let batchCount: Int
  private var batch: EntryBatch
  private var location = 0

  /// The entries from a place on; `nil` when there are none.
  init?(
    _ index: Int64,
    _ range: KeyRange,
    isDescending: Bool,
    _ zone: QueryZone,
    from location: EntryPosition,
    batchCount: Int,
    _ batches: EntryBatches
  ) throws {
    (self.index, self.range, self.isDescending, self.zone) = (index, range, isDescending, zone)
    self.batchCount = batchCount
    batch = try batches.ordered(index, range, in: zone, from: location, limit: batchCount)
    if batch.entries.isEmpty { return nil }
  }

  private var entry: VisitedEntry { batch.entries[location] }
  var key: IndexKey { entry.key }
  var name: String { entry.name }
  var isCurrent: Bool { entry.isCurrent }

  /// The same at the next entry; `nil` when there is none.
  func next(_ batches: EntryBatches) throws -> OrderedEntries? {
    var next = self
    next.location += 1
    if next.location == batch.entries.count {
      guard let location = batch.next else { return nil }
      next.batch = try batches.ordered(index, range, in: zone, from: location, limit: batchCount)
      next.location = 0
      if next.batch.entries.isEmpty { return nil }
    }
    return next
  }

  static func < (a: Self, b: Self) -> Bool {
    if a.key != b.key { return a.isDescending ? b.key < a.key : a.key < b.key }
    return (a.zone.number, a.name) < (b.zone.number, b.name)
  }

  static func == (a: Self, b: Self) -> Bool { !(a < b) && !(b < a) }
}
