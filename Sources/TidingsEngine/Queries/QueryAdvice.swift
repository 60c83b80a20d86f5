internal import TidingsModel

/// What would make a query faster, in words.
enum QueryAdvice {
  /// What to declare for a query that is not served by an index; empty: nothing.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - plan: How it is answered.
  ///   - building: The fields, as in the schema language, whose indexes are being built.
  ///   - kind: The type of a field, when one is known.
  /// - Returns: A sentence.
  static func advice(
    for query: RecordQuery,
    _ plan: QueryPlan,
    building: [String],
    kind: (String) -> FieldValue.Kind?
  ) -> String {
    if case .constant(false) = query.predicate.root { return "" }
    if case .named = plan.access { return "" }
    if let field = building.first, plan.access.index == nil {
      return "the index of \(query.recordType).\(field) is being built: it will serve queries when "
        + "it is ready"
    }
    if plan.access.index == nil { return toFind(query, kind) ?? toList(query) }
    if case .sorted(false) = plan.order, let field = sortField(query),
      field != plan.indexField
    {
      return "when many records match: declare \(query.recordType).\(field) SORTABLE in the schema"
    }
    return ""
  }

  /// What to declare so that less has to be sorted.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - kind: The type of a field, when one is known.
  /// - Returns: What a message ends with.
  static func toSort(
    _ query: RecordQuery,
    kind: (String) -> FieldValue.Kind? = { _ in nil }
  ) -> String {
    if let field = sortField(query) {
      return "declare \(query.recordType).\(field) SORTABLE in the schema (rpcctl schema apply), "
        + "or narrow the predicate"
    }
    return toFind(query, kind) ?? "narrow the predicate, for example to a zone"
  }

  private static func sortField(_ query: RecordQuery) -> String? {
    guard let key = query.sortKeys.first, key.relativeLocation == nil else { return nil }
    return IndexedField.schemaName(key.field)
  }

  private static func toFind(
    _ query: RecordQuery,
    _ kind: (String) -> FieldValue.Kind?
  ) -> String? {
    let operands: [Predicate.Node] =
      if case .and(let operands) = query.predicate.root { operands } else { [query.predicate.root] }
    for case .comparison(let comparison) in operands {
      guard let attribute = comparison.indexAttribute(in: kind(comparison.field)) else { continue }
      let field = IndexedField.schemaName(comparison.field)
      return "declare \(query.recordType).\(field) \(attribute) in the schema (rpcctl schema apply)"
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

extension Predicate.Comparison {
  /// What to declare a field so that an index serves this comparison; `nil`: none does.
  fileprivate func indexAttribute(in kind: FieldValue.Kind?) -> String? {
    guard isPlain, !isFullText else { return nil }
    return switch self.operator {
    case .equal, .in, .beginsWith: "QUERYABLE"
    case .contains: kind == .string ? "SEARCHABLE" : "QUERYABLE"
    case .containsAnyTokens, .containsAllTokens: "SEARCHABLE"
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .between: "SORTABLE"
    case .notEqual, .endsWith, .like, .near: nil
    }
  }
}
