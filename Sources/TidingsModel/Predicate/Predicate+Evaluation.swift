// The one evaluator: queries, subscriptions and explanations all end here.
extension Predicate {
  /// Whether a record matches.
  ///
  /// A comparison is false when the field is absent or its type is not that of the value; its NOT
  /// is then true. Numbers compare exactly, whether int64 or double. Strings compare by code
  /// points, case-sensitively and without normalization; bytes by their bytes. References are
  /// equal when they name one record, whatever the action; locations when the coordinates are.
  /// `recordName`, `creationDate` and `modificationDate` name what the server knows of the record.
  public func matches(_ record: Record) -> Bool { root.matches(record) }

  /// Whether fields match, of which there are no system fields.
  ///
  /// - SeeAlso: `matches(_:)` for a record.
  public func matches(_ fields: RecordFields) -> Bool { root.matches(fields) }
}

extension Predicate.Node {
  /// Whether a record matches this canonical node.
  package func matches(_ record: Record) -> Bool {
    switch self {
    case .constant(let value): value
    case .comparison(let comparison):
      if let value = record.predicateValue(comparison.field) {
        comparison.matches(value)
      } else {
        false
      }
    case .not(let operand): !operand.matches(record)
    case .and(let operands): operands.allSatisfy { $0.matches(record) }
    case .or(let operands): operands.contains { $0.matches(record) }
    }
  }

  func matches(_ fields: RecordFields) -> Bool {
    switch self {
    case .constant(let value): value
    case .comparison(let comparison):
      if let value = fields[comparison.field] { comparison.matches(value) } else { false }
    case .not(let operand): !operand.matches(fields)
    case .and(let operands): operands.allSatisfy { $0.matches(fields) }
    case .or(let operands): operands.contains { $0.matches(fields) }
    }
  }
}

extension Predicate.Comparison.Operator {
  /// Whether this operator, which takes one value, holds between a field's value and that one.
  package func holds(for own: FieldValue, _ value: FieldValue) -> Bool {
    switch self {
    case .equal, .in: return own.means(value)
    case .contains: return own.hasMember(value)
    case .beginsWith:
      guard case .string(let text) = own, case .string(let prefix) = value else { return false }
      return text.hasBytePrefix(prefix)
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .between:
      guard let order = own.meaningOrder(value) else { return false }
      return holds(order)
    }
  }

  private func holds(_ order: Int) -> Bool {
    switch self {
    case .lessThan: order < 0
    case .lessThanOrEqual: order <= 0
    case .greaterThan: order > 0
    case .greaterThanOrEqual: order >= 0
    default: order == 0
    }
  }
}

extension Predicate.Comparison {
  /// Whether a field with this value satisfies the comparison.
  package func matches(_ value: FieldValue) -> Bool {
    switch self.operator {
    case .between:
      Operator.greaterThanOrEqual.holds(for: value, values[0])
        && Operator.lessThanOrEqual.holds(for: value, values[1])
    case .in: isOneOfSorted(value)
    default: self.operator.holds(for: value, values[0])
    }
  }

  /// The values of a canonical IN are in total order.
  private func isOneOfSorted(_ value: FieldValue) -> Bool {
    guard value.meaningClass != nil else { return false }
    var (low, high) = (0, values.count)
    while low < high {
      let middle = (low + high) / 2
      if Predicate.order(values[middle], value) < 0 { low = middle + 1 } else { high = middle }
    }
    // Equality again: an order between values that are not comparable (NaN) would read as equal.
    return low < values.count && values[low].means(value)
  }
}
