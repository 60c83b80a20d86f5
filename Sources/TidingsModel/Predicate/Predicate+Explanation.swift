extension Predicate {
  /// Says why a record does not match: the first canonical term that is false, and what it met.
  ///
  /// Holds values of the record: show it only to who may read the record.
  ///
  /// - Parameter record: The record.
  /// - Returns: For example `price > 100 is false: price is 5`; `nil` when the record matches.
  public func explainFailure(_ record: Record) -> String? {
    matches(record) ? nil : Self.explanation(of: root, record)
  }

  private static func explanation(of node: Node, _ record: Record) -> String {
    switch node {
    case .constant:
      return "FALSEPREDICATE matches no record"
    case .comparison(let comparison), .not(.comparison(let comparison)):
      return "\(node.text) is false: \(state(of: comparison, record))"
    case .and(let operands):
      let culprit = operands.first { !$0.matches(record) }
      return culprit.map { explanation(of: $0, record) } ?? "\(node.text) is false"
    case .or(let operands):
      return "\(node.text) is false: none of the \(operands.count) alternatives holds"
    case .not:
      return "\(node.text) is false"
    }
  }

  private static func state(of comparison: Comparison, _ record: Record) -> String {
    if comparison.isFullText { return "the record's texts do not have the words" }
    guard let value = record.predicateValue(comparison.field) else {
      return "\(comparison.field) is absent"
    }
    guard
      comparison.modifier == .none, comparison.operator != .contains,
      value.meaningClass == comparison.values.first?.meaningClass
    else {
      return "\(comparison.field) is of type \(value.kind.rawValue)"
    }
    let shownCountMax = 100
    let text = value.predicateText
    let shown = text.count > shownCountMax ? "\(text.prefix(shownCountMax))…" : text
    return "\(comparison.field) is \(shown)"
  }
}
