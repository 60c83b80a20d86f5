internal import TidingsModel
internal import TidingsSQL

/// Keeps the entries of declared indexes with every save, so that a query sees what was acknowledged.
///
/// Types without indexes cost one look into a table in memory.
final class FieldIndex: RecordFollower {
  private let registry: IndexRegistry
  private let entries: IndexEntries
  private let pace: Pace

  init(registry: IndexRegistry, entries: IndexEntries, pace: Pace) {
    self.registry = registry
    self.entries = entries
    self.pace = pace
  }

  func entryCount(
    _ new: Record,
    replacing old: Record?,
    in database: DatabaseEntry
  ) -> Int {
    var count = 0
    for index in registry.indexes(of: new.recordType, in: database.id) {
      let before = old?.predicateValue(index.predicateName)
      let after = new.predicateValue(index.predicateName)
      // Texts that are equal as characters may have other keys.
      if before == after, before.map({ $0.isIdentical(to: after ?? $0) }) ?? true { continue }
      if old != nil { count += Self.entryCount(before, index.kind) }
      count += Self.entryCount(after, index.kind)
    }
    return count
  }

  /// About how many entries a value has, without a look at the words.
  private static func entryCount(_ value: FieldValue?, _ kind: IndexKind) -> Int {
    let bytesPerWord = 6
    switch (kind, value) {
    case (.words, .string(let text)):
      return min(Tokenizer.tokenCountMax, text.utf8.count / bytesPerWord)
    case (.words, _): return 0
    case (.ordered, _): return max(1, value?.memberCount ?? 0)
    }
  }

  func follow(_ write: RecordPlan.Write, in database: DatabaseEntry, of call: CallContext) throws {
    let indexes = registry.indexes(of: write.row.recordType, in: database.id)
    if indexes.isEmpty { return }
    let location = IndexEntries.Location(
      zone: write.zone.number,
      name: write.name,
      sequence: write.row.sequence
    )
    for index in indexes where index.covers(location.name, in: location.zone) {
      try follow(from: write.old, to: write.new, at: location, in: index, call.steady)
    }
  }

  func removeRows(of zone: DeletedZone, limit: Int, at time: SteadyTime) throws -> Int {
    var count = 0
    for index in registry.indexes(in: zone.database.id) where count < limit {
      count += try entries.removeSome(in: zone.number, of: index, limit: limit - count)
    }
    return count
  }

  /// The keys under which a record stands in an index, in their order.
  static func keys(of record: Record, in index: DeclaredIndex) -> [IndexKey] {
    keys(of: record.predicateValue(index.predicateName), index.kind)
  }

  /// The keys under which a record with a value stands in an index, in their order.
  static func keys(of value: FieldValue?, _ kind: IndexKind) -> [IndexKey] {
    switch kind {
    case .ordered: return IndexKey.keys(of: value)
    case .words: return IndexKey.words(of: value)
    }
  }

  private func follow(
    from old: Record?,
    to new: Record?,
    at location: IndexEntries.Location,
    in index: DeclaredIndex,
    _ time: SteadyTime
  ) throws {
    let before = old.map { Self.keys(of: $0, in: index) } ?? []
    guard let new else {
      for key in before {
        try entries.remove(key, of: location, from: index)
        pace.step()
      }
      return
    }
    let after = Self.keys(of: new, in: index)
    if before == after { return }
    let (kept, wanted) = (Set(after), Set(before))
    for key in before where !kept.contains(key) {
      try entries.end(key, of: location, in: index, at: time)
      pace.step()
    }
    for key in after where !wanted.contains(key) {
      try entries.add(key, of: location, to: index)
      pace.step()
    }
  }
}

extension IndexKey {
  /// The keys of a text in an index of words.
  static func words(of value: FieldValue?) -> [IndexKey] {
    guard case .string(let text)? = value else { return [] }
    return Tokenizer.tokens(of: text).map { IndexKey(word: $0) }
  }
}
