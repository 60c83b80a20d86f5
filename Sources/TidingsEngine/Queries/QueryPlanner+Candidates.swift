internal import TidingsModel

// The ways to find records: by the entries of indexes, or by their names.
extension QueryPlanner {
  /// Keys and ranges of one access at most: what asks for more is compared record by record.
  static let entriesMax = 1_000
  /// Of an alternative of an OR a probe counts no further.
  private static let alternativeProbeMax = 100
  /// Longest head of a text whose spellings are looked for, in bytes: each fits into a key.
  private static let spelledBytesMax = 128

  /// The ways to find the records that satisfy conditions, those that look for values rather than for
  /// ranges first.
  func candidates(of conditions: [Predicate.Node]) throws -> [Candidate] {
    var byField: [(field: String, comparisons: [Predicate.Comparison])] = []
    var found: [Candidate] = []
    for condition in conditions {
      switch condition {
      case .comparison(let comparison) where comparison.isPlain:
        if let location = byField.firstIndex(where: { $0.field == comparison.field }) {
          byField[location].comparisons.append(comparison)
        } else {
          byField.append((comparison.field, [comparison]))
        }
      case .comparison(let comparison) where comparison.modifier == .none:
        if let candidate = try spelled(comparison) { found.append(candidate) }
      case .or(let operands):
        if let candidate = try union(of: operands, condition) { found.append(candidate) }
      default: break
      }
    }
    for (field, comparisons) in byField {
      for comparison in comparisons { found += try values(comparison) }
      if let candidate = range(of: field, comparisons) { found.append(candidate) }
    }
    return found.filter { !$0.isRange } + found.filter(\.isRange)
  }

  // MARK: Values

  /// One comparison that looks for values.
  private func values(_ comparison: Predicate.Comparison) throws -> [Candidate] {
    if let names = comparison.recordNames {
      return [
        Candidate(
          access: .named(names),
          conditions: [.comparison(comparison)],
          isExact: false
        )
      ]
    }
    switch comparison.operator {
    case .near: return [near(comparison)].compactMap(\.self)
    case .containsAnyTokens, .containsAllTokens: return try words(comparison)
    default: break
    }
    guard let wanted = comparison.valueKeys(in: kind(comparison.field)),
      let index = index(of: comparison.field, wanted.kind)
    else { return [] }
    return [
      candidate(
        wanted.keys.map { (index, KeyRange($0)) },
        for: .comparison(comparison),
        isExact: wanted.keys.allSatisfy(\.isExact)
      )
    ].compactMap(\.self)
  }

  /// The postings of the words of a text, or of all texts of the record.
  private func words(_ comparison: Predicate.Comparison) throws -> [Candidate] {
    let fields = comparison.isFullText ? try textFields() : [comparison.field]
    let indexes = fields.compactMap { index(of: $0, .words) }
    // A text without an index may have the words too.
    guard indexes.count == fields.count else { return [] }
    let keys = comparison.words.map { IndexKey(word: $0) }
    // Of several words that are all wanted, each is a way; the rarest is the best.
    let ways = comparison.operator == .containsAllTokens ? keys.map { [$0] } : [keys]
    return ways.compactMap { keys in
      candidate(
        indexes.flatMap { index in keys.map { (index, KeyRange($0)) } },
        for: .comparison(comparison),
        isExact: comparison.operator == .containsAnyTokens && keys.allSatisfy(\.isExact)
      )
    }
  }

  /// The cells of the globe that a circle touches.
  private func near(_ comparison: Predicate.Comparison) -> Candidate? {
    guard let index = index(of: comparison.field, .ordered),
      case .location(let centre) = comparison.values[0],
      let metres = comparison.values[1].metres
    else { return nil }
    let ranges = LocationCell.ranges(around: centre, metres: metres).map { KeyRange(cells: $0) }
    return candidate(ranges.map { (index, $0) }, for: .comparison(comparison), isExact: false)
  }

  // MARK: Spellings

  /// The spellings that an index has of the values of a comparison without regard to case.
  private func spelled(_ comparison: Predicate.Comparison) throws -> Candidate? {
    let isMember = comparison.operator == .contains
    if isMember, kind(comparison.field) == .string {
      guard let index = index(of: comparison.field, .words),
        case .string(let text) = comparison.values[0]
      else { return nil }
      let keys = Tokenizer.tokens(of: text).map { (index, KeyRange(IndexKey(word: $0))) }
      return candidate(keys, for: .comparison(comparison), isExact: false)
    }
    guard let index = index(of: comparison.field, .ordered) else { return nil }
    var entries: [(ReadyIndex, KeyRange)] = []
    var isExact = true
    for value in comparison.values {
      guard case .string(let text) = value else {
        guard let key = IndexKey(value, asMember: isMember) else { return nil }
        entries.append((index, KeyRange(key)))
        continue
      }
      guard let found = try spelled(text, comparison.operator, in: index) else { return nil }
      entries += found.ranges.map { (index, $0) }
      isExact = isExact && found.isExact
    }
    return candidate(entries, for: .comparison(comparison), isExact: isExact)
  }

  /// The keys of the texts that are spellings of a text in lowercase, or begin with one.
  private func spelled(
    _ text: String,
    _ operator: Predicate.Comparison.Operator,
    in index: ReadyIndex
  ) throws -> (ranges: [KeyRange], isExact: Bool)? {
    let wanted: String
    switch `operator` {
    case .equal, .in, .contains, .beginsWith: wanted = text
    case .like: wanted = LikePattern.fixedHead(of: text)
    default: return nil
    }
    if `operator` == .like, wanted.isEmpty { return nil }
    let head = wanted.head(bytesMax: Self.spelledBytesMax)
    let areHeads =
      `operator` == .beginsWith || `operator` == .like || head.utf8.count < wanted.utf8.count
    guard let first = IndexKey(.string(""), asMember: `operator` == .contains),
      let keys = try spellings(index.number, first, CaseSpellings(of: head, areHeads: areHeads))
    else { return nil }
    return (
      keys.map { areHeads ? KeyRange(lower: $0, upper: $0.afterPrefix) : KeyRange($0) },
      `operator` != .like && head.utf8.count == wanted.utf8.count
    )
  }

  // MARK: Alternatives

  /// The entries of all alternatives, one of which must hold: each by its best way.
  private func union(
    of operands: [Predicate.Node],
    _ node: Predicate.Node
  ) throws -> Candidate? {
    var entries: [(ReadyIndex, KeyRange)] = []
    var isExact = true
    for operand in operands {
      let candidates = try candidates(of: operand.conjuncts).filter { $0.access.entries != nil }
      guard
        let best = try best(of: candidates, upTo: Self.alternativeProbeMax)?.candidate,
        let found = best.access.entries, entries.count + found.count <= Self.entriesMax
      else { return nil }
      for range in found {
        guard let index = best.indexes.first(where: { $0.number == range.index }) else {
          return nil
        }
        entries.append((index, range.range))
      }
      isExact =
        isExact && best.isExact && best.conditions.count == operand.conjuncts.count
    }
    return candidate(entries, for: node, isExact: isExact)
  }

  /// The entries of ranges, each once.
  private func candidate(
    _ entries: [(index: ReadyIndex, range: KeyRange)],
    for condition: Predicate.Node,
    isExact: Bool
  ) -> Candidate? {
    let ranges = entries.map { IndexedRange(index: $0.index.number, range: $0.range) }.merged
    guard ranges.count <= Self.entriesMax else { return nil }
    var indexes: [ReadyIndex] = []
    for entry in entries where !indexes.contains(entry.index) { indexes.append(entry.index) }
    let keys = ranges.compactMap { range in
      range.range.key.map { IndexedKey(index: range.index, key: $0) }
    }
    let only = ranges.count == 1 ? ranges[0] : nil
    return Candidate(
      access: only.map { .range(index: $0.index, $0.range) }
        ?? (keys.count == ranges.count ? .keys(keys) : .ranges(ranges)),
      indexes: indexes,
      conditions: [condition],
      isExact: isExact,
      range: only.flatMap { indexes[0].kind == .ordered ? $0.range : nil }
    )
  }

  // MARK: Ranges

  /// All comparisons of a scalar field with one range.
  private func range(of field: String, _ comparisons: [Predicate.Comparison]) -> Candidate? {
    guard let index = index(of: field, .ordered) else {
      return field == SystemField.recordName.name ? names(comparisons) : nil
    }
    var (range, conditions, isExact) = (nil as KeyRange?, [] as [Predicate.Node], true)
    for comparison in comparisons {
      guard let next = comparison.keyRange else { continue }
      range = range?.intersection(next.range) ?? next.range
      isExact = isExact && next.isExact
      conditions.append(.comparison(comparison))
    }
    return range.map {
      Candidate(
        access: .range(index: index.number, $0),
        indexes: [index],
        conditions: conditions,
        isExact: isExact,
        range: $0
      )
    }
  }

  /// Records are found by their names: without an index too, a range of names is found at once.
  private func names(_ comparisons: [Predicate.Comparison]) -> Candidate? {
    var (from, to) = ("", QueryAccess.nameMax)
    var conditions: [Predicate.Node] = []
    for comparison in comparisons {
      guard case .string(let text)? = comparison.values.first else { continue }
      let first = text.amongNames
      switch comparison.operator {
      case .beginsWith: (from, to) = (max(from, first), min(to, first + QueryAccess.nameMax))
      case .greaterThan, .greaterThanOrEqual: from = max(from, first)
      case .lessThan: to = min(to, first)
      case .lessThanOrEqual: to = min(to, first + "\u{1}")
      default: continue
      }
      conditions.append(.comparison(comparison))
    }
    guard !conditions.isEmpty else { return nil }
    return Candidate(access: .scan(from: from, to: to), conditions: conditions, isExact: false)
  }
}

extension QueryPlanner.Candidate {
  /// It may find many: what looks for values comes first.
  fileprivate var isRange: Bool {
    switch access {
    case .scan, .ranges: true
    case .range(_, let range): range.key == nil
    default: false
    }
  }
}

extension [IndexedRange] {
  /// By index and key, those that overlap as one.
  fileprivate var merged: [IndexedRange] {
    let sorted = filter { !$0.range.isEmpty }.sorted {
      $0.index == $1.index ? $0.range.lower < $1.range.lower : $0.index < $1.index
    }
    return sorted.reduce(into: []) { merged, next in
      if let last = merged.last, last.index == next.index, next.range.lower < last.range.upper {
        let upper = Swift.max(last.range.upper, next.range.upper)
        merged[merged.count - 1].range.upper = upper
      } else {
        merged.append(next)
      }
    }
  }
}

extension KeyRange {
  /// The locations in cells.
  fileprivate init(cells: ClosedRange<UInt64>) {
    let lower = IndexKey(cell: cells.lowerBound)
    let upper = cells.upperBound
    self.init(
      lower: lower,
      upper: upper == .max ? lower.classPrefix.afterPrefix : IndexKey(cell: upper + 1)
    )
  }
}
