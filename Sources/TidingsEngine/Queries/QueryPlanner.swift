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
    /// What it stands for.
    var conditions: [Predicate.Comparison]
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
      condition: candidate.conditions.map(\.text).joined(separator: " AND ")
    )
  }

  /// The index that has the order of the first sort key.
  private var sortIndex: ReadyIndex? {
    guard let key = query.sortKeys.first, key.relativeLocation == nil else { return nil }
    return index(of: key.field, .ordered)
  }

  /// All records of the type: by an index of the names, which has no other types, or else a scan.
  private var everything: Candidate {
    if let index = index(of: "recordName", .ordered) {
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

  /// The ways to find the records, those with equality first.
  var candidates: [Candidate] {
    let comparisons = conjuncts.compactMap { node -> Predicate.Comparison? in
      if case .comparison(let comparison) = node { comparison } else { nil }
    }
    var names: [String] = []
    for comparison in comparisons where !names.contains(comparison.field) {
      names.append(comparison.field)
    }
    let found = names.flatMap { name in
      candidates(for: name, comparisons.filter { $0.field == name })
    }
    return found.filter(\.isEquality) + found.filter { !$0.isEquality }
  }

  private func candidates(
    for field: String,
    _ comparisons: [Predicate.Comparison]
  ) -> [Candidate] {
    var found: [Candidate] = []
    if field == "recordName", let byName = byName(comparisons) { found.append(byName) }
    if let index = index(of: field, .ordered) {
      found += comparisons.compactMap { equality($0, index) ?? membership($0, index) }
      if let range = range(comparisons, index) { found.append(range) }
    }
    if let index = index(of: field, .words) {
      found += comparisons.flatMap { words($0, index) }
    }
    return found
  }

  private func equality(_ comparison: Predicate.Comparison, _ index: ReadyIndex) -> Candidate? {
    switch comparison.operator {
    case .equal, .in: break
    default: return nil
    }
    return byKeys(comparison.values.compactMap { IndexKey($0) }, comparison, index)
  }

  private func membership(_ comparison: Predicate.Comparison, _ index: ReadyIndex) -> Candidate? {
    guard comparison.operator == .contains else { return nil }
    return byKeys(
      comparison.values.compactMap { IndexKey($0, asMember: true) },
      comparison,
      index
    )
  }

  private func byKeys(
    _ keys: [IndexKey],
    _ comparison: Predicate.Comparison,
    _ index: ReadyIndex
  ) -> Candidate {
    let unique = keys.sortedAndUnique
    return Candidate(
      access: unique.count == 1
        ? .range(index: index.number, KeyRange(unique[0])) : .keys(index: index.number, unique),
      index: index,
      conditions: [comparison],
      isExact: unique.allSatisfy(\.isExact),
      range: unique.count == 1 ? KeyRange(unique[0]) : nil
    )
  }

  private func words(_ comparison: Predicate.Comparison, _ index: ReadyIndex) -> [Candidate] {
    []
  }

  /// All comparisons of a scalar with one range.
  private func range(
    _ comparisons: [Predicate.Comparison],
    _ index: ReadyIndex
  ) -> Candidate? {
    var (range, conditions, isExact) = (nil as KeyRange?, [] as [Predicate.Comparison], true)
    for comparison in comparisons {
      guard let next = comparison.keyRange else { continue }
      range = range?.intersection(next.range) ?? next.range
      isExact = isExact && next.isExact
      conditions.append(comparison)
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

  /// Records are stored by name.
  private func byName(_ comparisons: [Predicate.Comparison]) -> Candidate? {
    var (from, to) = ("", QueryAccess.nameMax)
    var conditions: [Predicate.Comparison] = []
    for comparison in comparisons {
      let names = comparison.values.compactMap { value in
        if case .string(let name) = value { name } else { nil }
      }
      guard names.count == comparison.values.count, let first = names.first else { continue }
      switch comparison.operator {
      case .equal, .in:
        return Candidate(access: .named(names), conditions: [comparison], isExact: false)
      case .beginsWith:
        (from, to) = (max(from, first), min(to, first + QueryAccess.nameMax))
      case .greaterThan, .greaterThanOrEqual: from = max(from, first)
      case .lessThan: to = min(to, first)
      case .lessThanOrEqual: to = min(to, first + "\u{1}")
      case .between: (from, to) = (max(from, first), min(to, names[1] + "\u{1}"))
      default: continue
      }
      conditions.append(comparison)
    }
    guard !conditions.isEmpty else { return nil }
    return Candidate(access: .scan(from: from, to: to), conditions: conditions, isExact: false)
  }
}

extension QueryPlanner.Candidate {
  fileprivate var isEquality: Bool {
    conditions.contains { [.equal, .in, .contains].contains($0.operator) }
  }
}

extension Predicate.Comparison {
  /// The keys of the scalars that satisfy a comparison of order; exact when all of them do.
  fileprivate var keyRange: (range: KeyRange, isExact: Bool)? {
    guard let first = IndexKey(values[0]) else { return nil }
    let all = KeyRange(lower: first.classPrefix, upper: first.classPrefix.afterPrefix)
    // What was cut may be on either side.
    let (from, behind) = (first, first.isExact ? first.successor : first)
    switch self.operator {
    case .lessThan:
      return (
        KeyRange(lower: all.lower, upper: first.isExact ? from : first.successor), first.isExact
      )
    case .lessThanOrEqual:
      return (KeyRange(lower: all.lower, upper: first.successor), first.isExact)
    case .greaterThan: return (KeyRange(lower: behind, upper: all.upper), first.isExact)
    case .greaterThanOrEqual: return (KeyRange(lower: from, upper: all.upper), first.isExact)
    case .between:
      guard let last = IndexKey(values[1]) else { return nil }
      return (KeyRange(lower: from, upper: last.successor), first.isExact && last.isExact)
    case .beginsWith: return (KeyRange(lower: from, upper: first.afterPrefix), first.isExact)
    default: return nil
    }
  }

  /// In the text form.
  var text: String { (try? Predicate(root: .comparison(self)).text) ?? field }
}
