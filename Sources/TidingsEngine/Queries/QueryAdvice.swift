internal import TidingsModel

/// What would make a query faster, in words.
enum QueryAdvice {
  /// What to declare for a query that is not served by an index; empty: nothing.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - plan: How it is answered.
  ///   - building: The fields, as in the schema language, whose indexes are being built.
  ///   - fields: What is known of the fields of the record type.
  /// - Returns: A sentence.
  static func advice(
    for query: RecordQuery,
    _ plan: QueryPlan,
    building: [String],
    _ fields: Fields
  ) -> String {
    if case .constant(false) = query.predicate.root { return "" }
    if case .named = plan.access { return "" }
    if let field = building.first, plan.access.entries == nil {
      return "the index of \(query.recordType).\(field) is being built: it will serve queries when "
        + "it is ready"
    }
    if plan.access.entries == nil { return toFind(query, fields) ?? toList(query) }
    if case .sorted(false) = plan.order, let field = sortField(query),
      field != plan.indexField
    {
      return "when many records match: declare \(query.recordType).\(field) SORTABLE in the schema"
    }
    return ""
  }

  /// What to declare so that less has to be sorted.
  ///
  /// - Parameter query: The query.
  /// - Returns: What a message ends with.
  static func toSort(_ query: RecordQuery) -> String {
    if let field = sortField(query) {
      return "declare \(query.recordType).\(field) SORTABLE in the schema (rpcctl schema apply), "
        + "or narrow the predicate"
    }
    return toFind(query, Fields()) ?? "narrow the predicate, for example to a zone"
  }

  private static func sortField(_ query: RecordQuery) -> String? {
    guard let key = query.sortKeys.first, key.relativeLocation == nil else { return nil }
    return IndexedField.schemaName(key.field)
  }

  private static func toFind(_ query: RecordQuery, _ fields: Fields) -> String? {
    for operand in query.predicate.root.conjuncts {
      var needs = Needs()
      guard needs.add(operand, fields) else { continue }
      let missing = needs.all.filter { !fields.ready.contains($0) }
      guard !missing.isEmpty else { continue }
      return "declare \(missing.map { "\(query.recordType).\($0.text)" }.joined(separator: ", ")) "
        + "in the schema (rpcctl schema apply)"
    }
    if let field = sortField(query) {
      return "declare \(query.recordType).\(field) SORTABLE in the schema (rpcctl schema apply)"
    }
    return nil
  }

  private static func toList(_ query: RecordQuery) -> String {
    "declare \(query.recordType).___recordID QUERYABLE in the schema (rpcctl schema apply), so that "
      + "records of other types are not looked at"
  }
}

extension QueryAdvice {
  /// What is known of the fields of the record type.
  struct Fields {
    /// The indexes that are ready.
    var ready: [QueryPlanner.ReadyIndex] = []
    /// Those that are texts.
    var texts: [String] = []
    /// The type of a field, when one is known.
    var kind: (String) -> FieldValue.Kind? = { _ in nil }
  }

  /// An index to declare.
  fileprivate struct Need {
    /// As in the schema language.
    let field: String
    let kind: IndexKind
    let attribute: String

    var text: String { "\(field) \(attribute)" }
  }

  /// The indexes that serve parts of a predicate, each once.
  private struct Needs {
    private struct Index: Hashable {
      let field: String
      let kind: IndexKind
    }

    private(set) var all: [Need] = []
    private var known: Set<Index> = []
    /// Those of all texts are there: many comparisons may need them, and each needs many.
    private var hasTexts = false

    /// Adds what serves a part.
    ///
    /// - Returns: `false`: nothing would, and what was added is of no use.
    mutating func add(_ node: Predicate.Node, _ fields: Fields) -> Bool {
      switch node {
      case .comparison(let comparison): return add(comparison, fields)
      case .and(let operands):
        for operand in operands {
          var needs = self
          guard needs.add(operand, fields) else { continue }
          self = needs
          return true
        }
        return false
      case .or(let operands): return operands.allSatisfy { add($0, fields) }
      case .constant, .not: return false
      }
    }

    private mutating func add(_ comparison: Predicate.Comparison, _ fields: Fields) -> Bool {
      guard comparison.modifier == .none else { return false }
      if comparison.isFullText {
        guard !hasTexts else { return true }
        hasTexts = true
        for text in fields.texts { add(Need(field: text, kind: .words, attribute: "SEARCHABLE")) }
        return true
      }
      guard let attribute = comparison.indexAttribute(in: fields.kind(comparison.field)) else {
        return false
      }
      let field = IndexedField.schemaName(comparison.field)
      add(Need(field: field, kind: attribute.kind, attribute: attribute.name))
      return true
    }

    private mutating func add(_ need: Need) {
      let isNew = known.insert(Index(field: need.field, kind: need.kind)).inserted
      if isNew { all.append(need) }
    }
  }
}

extension [QueryPlanner.ReadyIndex] {
  fileprivate func contains(_ need: QueryAdvice.Need) -> Bool {
    contains { $0.field == need.field && $0.kind == need.kind }
  }
}

extension Predicate.Comparison {
  /// What to declare a field so that an index serves this comparison; `nil`: none does.
  fileprivate func indexAttribute(
    in fieldKind: FieldValue.Kind?
  ) -> (kind: IndexKind, name: String)? {
    switch self.operator {
    case .equal, .in, .beginsWith, .near: (.ordered, "QUERYABLE")
    case .contains: fieldKind == .string ? (.words, "SEARCHABLE") : (.ordered, "QUERYABLE")
    case .containsAnyTokens, .containsAllTokens: (.words, "SEARCHABLE")
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .between:
      (.ordered, "SORTABLE")
    case .like:
      if case .string(let pattern)? = values.first, !LikePattern.fixedHead(of: pattern).isEmpty {
        (.ordered, "QUERYABLE")
      } else {
        nil
      }
    case .notEqual, .endsWith: nil
    }
  }
}
