internal import TidingsModel

/// Chooses how a query is answered.
///
/// Pure but for `probe`, which counts entries up to a bound when there is a choice.
struct QueryPlanner {
  /// An index that is ready.
  struct ReadyIndex: Hashable {
    var number: Int64
    /// As in the schema language.
    var field: String
    var kind: IndexKind

    var predicateName: String { IndexedField.predicateName(field) }
  }

  /// A probe counts no further.
  static let probeEntriesMax = 1_000
  /// So few records are rather sorted than looked for in the order of an index.
  static let sortedRecordsMax = 500

  /// A way to find the records of a part of the predicate.
  struct Candidate: Hashable {
    var access: QueryAccess
    var index: ReadyIndex?
    /// The operands of the predicate's AND that it stands for.
    var conditions: [Predicate.Node]
    /// Whoever it finds satisfies the conditions.
    var isExact: Bool
    /// The keys between which a scalar lies, when it is one range.
    var range: KeyRange?
  }

  let query: RecordQuery
  let indexes: [ReadyIndex]
  /// The type of a field, when one is known.
  let kind: (String) -> FieldValue.Kind?
  /// Counts the rows of an access, up to a bound.
  let probe: (QueryAccess, Int) throws -> Int

  /// The plan.
  func plan() throws -> QueryPlan {
    if case .constant(false) = query.predicate.root {
      return QueryPlan(access: .named([]), order: .any, isExact: true)
    }
    let candidates = candidates
    guard !query.sortKeys.isEmpty else {
      return plan(try best(of: candidates)?.candidate ?? everything, order: .any)
    }
    guard let sortIndex else {
      let candidate = try best(of: candidates)?.candidate ?? everything
      return plan(candidate, order: .sorted(isPrefix: false))
    }
    return try planSorted(by: sortIndex, candidates)
  }

  // MARK: Choosing

  /// The candidate that finds fewest records, with what a probe found.
  private func best(
    of candidates: [Candidate]
  ) throws -> (candidate: Candidate, count: Int?)? {
    guard let first = candidates.first else { return nil }
    guard candidates.count > 1 else { return (first, nil) }
    var best = (candidate: first, count: try count(first, upTo: Self.probeEntriesMax))
    for candidate in candidates.dropFirst() where best.count > 0 {
      // Counting ends where it is no better.
      let count = try count(candidate, upTo: best.count)
      if count < best.count { best = (candidate, count) }
    }
    return best
  }

  private func count(_ candidate: Candidate, upTo limit: Int) throws -> Int {
    if case .named(let names) = candidate.access { return min(names.count, limit) }
    return try probe(candidate.access, limit)
  }

  private func planSorted(
    by sortIndex: ReadyIndex,
    _ candidates: [Candidate]
  ) throws -> QueryPlan {
    let own = candidates.first { $0.index == sortIndex && $0.range != nil }
    if let best = try best(of: candidates), best.candidate != own {
      let count =
        try best.count ?? count(best.candidate, upTo: Self.sortedRecordsMax)
      if count < Self.sortedRecordsMax {
        return plan(best.candidate, order: .sorted(isPrefix: false))
      }
    }
    let ordered = Candidate(
      access: .ordered(
        index: sortIndex.number,
        own?.range ?? .scalars,
        descending: query.sortKeys[0].isDescending,
        withAbsent: own == nil
      ),
      index: sortIndex,
      conditions: own?.conditions ?? [],
      isExact: own?.isExact ?? true
    )
    return plan(ordered, order: query.sortKeys.count == 1 ? .access : .sorted(isPrefix: true))
  }

  private func plan(_ candidate: Candidate, order: QueryPlan.Order) -> QueryPlan {
    QueryPlan(
      access: candidate.access,
      order: order,
      isExact: candidate.isExact && candidate.conditions.count == conjuncts.count,
      indexField: candidate.index?.field ?? "",
      condition: candidate.conditions.map(\.shownText).joined(separator: " AND ")
    )
  }

  /// The index that has the order of the first sort key.
  private var sortIndex: ReadyIndex? {
    guard let key = query.sortKeys.first, key.relativeLocation == nil else { return nil }
    return index(of: key.field, .ordered)
  }

  /// All records of the type: by an index of the names, which has no other types, or else a scan.
  private var everything: Candidate {
    if let index = index(of: SystemField.recordName.name, .ordered) {
      return Candidate(
        access: .range(index: index.number, .scalars),
        index: index,
        conditions: [],
        isExact: true
      )
    }
    return Candidate(access: .scanAll, conditions: [], isExact: true)
  }

  private func index(of predicateName: String, _ kind: IndexKind) -> ReadyIndex? {
    indexes.first { $0.predicateName == predicateName && $0.kind == kind }
  }

  // MARK: Candidates

  /// The operands of the predicate's AND.
  private var conjuncts: [Predicate.Node] {
    switch query.predicate.root {
    case .and(let operands): operands
    case .constant(true): []
    case let other: [other]
    }
  }

  /// The ways to find the records, those that look for values rather than for ranges first.
  var candidates: [Candidate] {
    var byField: [(field: String, comparisons: [Predicate.Comparison])] = []
    var found: [Candidate] = []
    for conjunct in conjuncts {
      switch conjunct {
      case .comparison(let comparison) where comparison.isPlain:
        if let location = byField.firstIndex(where: { $0.field == comparison.field }) {
          byField[location].comparisons.append(comparison)
        } else {
          byField.append((comparison.field, [comparison]))
        }
      case .or(let operands):
        if let candidate = alternatives(operands, conjunct) { found.append(candidate) }
      default: break
      }
    }
    found += byField.flatMap { field, comparisons in
      comparisons.flatMap { values($0) } + [range(of: field, comparisons)].compactMap(\.self)
    }
    return found.filter { !$0.isRange } + found.filter(\.isRange)
  }

  /// One comparison that looks for values.
  private func values(_ comparison: Predicate.Comparison) -> [Candidate] {
    if let names = comparison.recordNames {
      return [
        Candidate(
          access: .named(names),
          conditions: [.comparison(comparison)],
          isExact: false
        )
      ]
    }
    if comparison.operator == .containsAllTokens, let index = index(of: comparison.field, .words) {
      // The postings of each word are a way; the rarest is the best.
      return comparison.words.map { word in
        Candidate(
          access: .range(index: index.number, KeyRange(IndexKey(word: word))),
          index: index,
          conditions: [.comparison(comparison)],
          isExact: false
        )
      }
    }
    return [candidate([comparison], .comparison(comparison))].compactMap(\.self)
  }

  /// Comparisons of one field that look for values, one of which must hold.
  private func alternatives(
    _ operands: [Predicate.Node],
    _ node: Predicate.Node
  ) -> Candidate? {
    var comparisons: [Predicate.Comparison] = []
    for operand in operands {
      guard case .comparison(let comparison) = operand, comparison.isPlain,
        comparison.field == comparisons.first?.field ?? comparison.field
      else { return nil }
      comparisons.append(comparison)
    }
    return candidate(comparisons, node)
  }

  /// The entries of all values that comparisons of one field look for.
  private func candidate(
    _ comparisons: [Predicate.Comparison],
    _ node: Predicate.Node
  ) -> Candidate? {
    guard let field = comparisons.first?.field else { return nil }
    let kind = kind(field)
    var keys: [IndexKey] = []
    var found: ReadyIndex?
    for comparison in comparisons {
      guard let wanted = comparison.valueKeys(in: kind),
        let index = index(of: field, wanted.kind), found == nil || found == index
      else { return nil }
      found = index
      keys += wanted.keys
    }
    guard let index = found else { return nil }
    keys = keys.sortedAndUnique
    let range = keys.count == 1 ? KeyRange(keys[0]) : nil
    return Candidate(
      access: range.map { .range(index: index.number, $0) }
        ?? .keys(index: index.number, keys),
      index: index,
      conditions: [node],
      isExact: keys.allSatisfy(\.isExact),
      range: index.kind == .ordered ? range : nil
    )
  }

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
        index: index,
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
      guard case .string(let first)? = comparison.values.first else { continue }
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
    case .scan: true
    case .range(_, let range): range.upper != range.lower.successor
    default: false
    }
  }
}
