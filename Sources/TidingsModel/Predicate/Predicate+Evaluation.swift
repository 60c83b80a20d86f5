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

extension Predicate.Comparison {
  /// Whether a field with this value satisfies the comparison.
  package func matches(_ value: FieldValue) -> Bool {
    switch self.operator {
    case .equal: value.means(values[0])
    case .lessThan: isOrdered(value, values[0]) { $0 < 0 }
    case .lessThanOrEqual: isOrdered(value, values[0]) { $0 <= 0 }
    case .greaterThan: isOrdered(value, values[0]) { $0 > 0 }
    case .greaterThanOrEqual: isOrdered(value, values[0]) { $0 >= 0 }
    case .between:
      isOrdered(value, values[0]) { $0 >= 0 } && isOrdered(value, values[1]) { $0 <= 0 }
    case .in: isOneOfSorted(value)
    case .beginsWith: hasPrefix(value)
    case .contains: value.hasMember(values[0])
    }
  }

  private func isOrdered(_ a: FieldValue, _ b: FieldValue, _ test: (Int) -> Bool) -> Bool {
    if let order = a.meaningOrder(b) { test(order) } else { false }
  }

  private func hasPrefix(_ value: FieldValue) -> Bool {
    guard case .string(let text) = value, case .string(let prefix) = values[0] else { return false }
    return text.hasBytePrefix(prefix)
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
