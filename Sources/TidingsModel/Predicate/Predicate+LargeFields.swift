// The evaluator where large values are remembered: the same meaning, with the answer 'not known yet'.
extension Predicate.Node {
  /// Whether a record matches this canonical node.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - large: Its large values; `nil`: it has none.
  /// - Returns: `nil`: more is to be found first, and is noted.
  package func matches(_ record: Record, _ large: LargeFields?) -> Bool? {
    guard let large else { return matches(record) }
    return evaluated(record, large)
  }

  private func evaluated(_ record: Record, _ large: LargeFields) -> Bool? {
    switch self {
    case .constant(let value): value
    case .comparison(let comparison): comparison.matches(record, large)
    case .not(let operand): operand.evaluated(record, large).map(!)
    case .and(let operands): Self.decide(operands, record, large, by: false)
    case .or(let operands): Self.decide(operands, record, large, by: true)
    }
  }

  /// An operand with the deciding value decides; all are asked that are needed until one does, so that what
  /// is missing is noted together.
  private static func decide(
    _ operands: [Self],
    _ record: Record,
    _ large: LargeFields,
    by decisive: Bool
  ) -> Bool? {
    var isKnown = true
    for operand in operands {
      guard let value = operand.evaluated(record, large) else {
        isKnown = false
        continue
      }
      if value == decisive { return decisive }
    }
    return isKnown ? !decisive : nil
  }
}

extension Predicate.Comparison {
  /// Whether a record satisfies this canonical comparison; `nil`: more is to be found first, and is noted.
  package func matches(_ record: Record, _ large: LargeFields) -> Bool? {
    if let value = large[field] { return value.satisfies(self, large.memory) }
    guard isFullText, record.predicateValue(field) == nil else { return matches(record) }
    return matchesWords(ofRecord: record, large)
  }

  /// The words of all texts of the record together.
  private func matchesWords(ofRecord record: Record, _ large: LargeFields) -> Bool? {
    guard case .string(let words) = values[0] else { return false }
    var search = WordSearch(words, all: self.operator == .containsAllTokens)
    var isKnown = true
    for field in record.fields.sorted {
      guard case .string(let text) = field.value else { continue }
      guard let value = large[field.name] else {
        if search.find(in: text) { return true }
        continue
      }
      if let found = value.words(large.memory) {
        if search.find(among: found) { return true }
      } else {
        isKnown = false
      }
    }
    return isKnown ? false : nil
  }
}
