// One comparison in canonical form: one spelling for each meaning.
extension Predicate.Comparison {
  /// The same with the canonical name of a system field, and values of its type.
  ///
  /// - `recordID` is the record's name when it is compared with strings, and `recordName` its ID
  ///   when it is compared with references.
  /// - A user's name is a reference to the user.
  var resolved: Self {
    guard let system = SystemField(name: field) else { return self }
    var result = self
    result.field = system.name
    switch system {
    case .recordName, .recordID:
      let isReference = values.contains { $0.meaningClass == .reference }
      result.field = (isReference ? SystemField.recordID : .recordName).name
    case .creatorUserRecordID, .lastModifiedUserRecordID:
      result.values = values.map { value in
        if case .string(let user) = value { SystemField.reference(toUser: user) } else { value }
      }
    default: break
    }
    return result
  }

  /// Canonical comparisons, one of which holds when this one does; none when nothing satisfies it.
  ///
  /// There are several for ANY with IN only.
  var canonicalAlternatives: [FieldLiteral] {
    var result = resolved
    result.values = result.values.map(\.canonicalMeaning)
    if isCaseInsensitive { result.values = result.values.map(\.canonicalCase) }
    if self.operator == .like { result.simplifyPattern() }
    return result.alternatives.map { FieldLiteral(comparison: $0, negated: result.isNegated) }
  }

  /// Whether this is the negation of its alternatives.
  private var isNegated: Bool { self.operator == .notEqual && modifier == .none }

  private var alternatives: [Self] {
    switch self.operator {
    case .notEqual where modifier == .none: [with(.equal)]
    case .equal where modifier == .any: [with(.contains, modifier: Modifier.none)]
    case .in where modifier == .any:
      values.sortedAndUnique.map { with(.contains, [$0], modifier: Modifier.none) }
    case .in:
      [oneOf(values.sortedAndUnique)]
    case .between: canonicalRange
    case .contains where isFullText || modifier == .all: with(.containsAnyTokens).canonicalWords
    case .contains: [with(.contains, modifier: Modifier.none)]
    case .containsAnyTokens, .containsAllTokens: canonicalWords
    case .endsWith where values[0].means(.string("")): [with(.beginsWith)]
    case .near where modifier != .all && values[1].meaningOrder(.int64(0)) == 0: []
    default: [self]
    }
  }

  private var canonicalRange: [Self] {
    let order = Predicate.order(values[0], values[1])
    // Of a text that is no list, ANY ... BETWEEN holds never, CONTAINS where it has the word.
    let isOfTexts = modifier == .any && values[0].meaningClass == .string
    if order == 0, !isOfTexts { return with(.equal, [values[0]]).alternatives }
    // All members of an empty list lie in an empty range.
    return order > 0 && modifier != .all ? [] : [self]
  }

  private var canonicalWords: [Self] {
    guard case .string(let text) = values[0] else { return [] }
    let words = Tokenizer.tokens(of: text)
    if words.isEmpty, modifier != .all { return [] }
    var result = with(
      words.count == 1 ? .containsAnyTokens : self.operator,
      [.string(words.joined(separator: " "))]
    )
    result.isCaseInsensitive = false
    return [result]
  }

  private mutating func simplifyPattern() {
    guard case .string(let pattern) = values[0] else { return }
    let simple = LikePattern.canonical(pattern)
    self.operator = simple.operator
    values = [.string(simple.value)]
  }

  private func oneOf(_ values: [FieldValue]) -> Self {
    with(values.count == 1 ? .equal : .in, values)
  }

  private func with(
    _ operator: Operator,
    _ values: [FieldValue]? = nil,
    modifier: Modifier? = nil
  ) -> Self {
    var result = self
    result.operator = `operator`
    result.values = values ?? self.values
    result.modifier = modifier ?? self.modifier
    return result
  }
}

extension FieldValue {
  /// The one representative of all strings that differ in case only.
  var canonicalCase: FieldValue {
    if case .string(let text) = self { .string(text.foldedCase) } else { self }
  }
}
