internal import TidingsModel

/// Chooses how a query is answered.
///
/// Pure but for what it asks the store: a bounded number of entries when there is a choice, and the
/// spellings of a text.
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
    /// Those that the access looks at.
    var indexes: [ReadyIndex] = []
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
  /// The fields of the record type that are texts.
  let textFields: () throws -> [String]
  /// Counts the rows of an access, up to a bound.
  let probe: (QueryAccess, Int) throws -> Int
  /// The keys of an index that are spellings of a text, behind the bytes that they all begin with; `nil`:
  /// too many to look for.
  let spellings: (_ index: Int64, _ head: IndexKey, CaseSpellings) throws -> [IndexKey]?

  /// The plan.
  func plan() throws -> QueryPlan {
    if case .constant(false) = query.predicate.root {
      return QueryPlan(access: .named([]), order: .any, isExact: true)
    }
    let candidates = try candidates(of: conjuncts)
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
  func best(
    of candidates: [Candidate],
    upTo limit: Int = probeEntriesMax
  ) throws -> (candidate: Candidate, count: Int?)? {
    guard let first = candidates.first else { return nil }
    guard candidates.count > 1 else { return (first, nil) }
    var best = (candidate: first, count: try count(first, upTo: limit))
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
    let own = candidates.first { $0.indexes == [sortIndex] && $0.range != nil }
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
      indexes: [sortIndex],
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
      indexField: candidate.indexes.map(\.field).uniqued.joined(separator: ", "),
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
        indexes: [index],
        conditions: [],
        isExact: true
      )
    }
    return Candidate(access: .scanAll, conditions: [], isExact: true)
  }

  func index(of predicateName: String, _ kind: IndexKind) -> ReadyIndex? {
    indexes.first { $0.predicateName == predicateName && $0.kind == kind }
  }

  /// The operands of the predicate's AND.
  private var conjuncts: [Predicate.Node] { query.predicate.root.conjuncts }
}

extension Predicate.Node {
  /// The operands of an AND; what is no AND is one, and what is always true none.
  var conjuncts: [Predicate.Node] {
    switch self {
    case .and(let operands): operands
    case .constant(true): []
    default: [self]
    }
  }
}

extension [String] {
  /// Each once, in the order of their first use.
  fileprivate var uniqued: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}
