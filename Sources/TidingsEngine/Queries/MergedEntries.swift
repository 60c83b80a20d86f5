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
