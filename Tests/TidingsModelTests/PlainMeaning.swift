import TidingsModel

/// The meaning of a tree that is not canonical, written as plainly as can be.
enum PlainMeaning {
  static func matches(_ node: Predicate.Node, _ record: Record) -> Bool {
    switch node {
    case .constant(let value): value
    case .not(let operand): !matches(operand, record)
    case .and(let operands): operands.reduce(true) { $0 && matches($1, record) }
    case .or(let operands): operands.reduce(false) { $0 || matches($1, record) }
    case .comparison(let comparison): matches(comparison, record)
    }
  }

  private static func matches(_ comparison: Predicate.Comparison, _ record: Record) -> Bool {
    let own: FieldValue? =
      comparison.field == "recordName" ? .string(record.recordID.recordName) : nil
    guard let value = record.fields[comparison.field] ?? own else { return false }
    let orders = comparison.values.map { order(value, $0) }
    switch comparison.operator {
    case .equal, .in: return orders.contains(0)
    case .lessThan: return orders[0].map { $0 < 0 } ?? false
    case .lessThanOrEqual: return orders[0].map { $0 <= 0 } ?? false
    case .greaterThan: return orders[0].map { $0 > 0 } ?? false
    case .greaterThanOrEqual: return orders[0].map { $0 >= 0 } ?? false
    case .between:
      return (orders[0].map { $0 >= 0 } ?? false) && (orders[1].map { $0 <= 0 } ?? false)
    case .beginsWith:
      guard case .string(let text) = value, case .string(let prefix) = comparison.values[0] else {
        return false
      }
      return text.utf8.starts(with: prefix.utf8)
    case .contains:
      return members(value).contains { order($0, comparison.values[0]) == 0 }
    }
  }

  private static func members(_ value: FieldValue) -> [FieldValue] {
    switch value {
    case .stringList(let list): list.map { .string($0) }
    case .int64List(let list): list.map { .int64($0) }
    case .doubleList(let list): list.map { .double($0) }
    default: []
    }
  }

  private static func number(_ value: FieldValue) -> Float80? {
    switch value {
    case .int64(let value): Float80(value)
    case .double(let value): Float80(value)
    default: nil
    }
  }

  private static func order(_ a: FieldValue, _ b: FieldValue) -> Int? {
    func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : (a == b ? 0 : 1) }
    func order(_ a: [UInt8], _ b: [UInt8]) -> Int {
      a == b ? 0 : (a.lexicographicallyPrecedes(b) ? -1 : 1)
    }
    if let a = number(a), let b = number(b) { return order(a, b) }
    switch (a, b) {
    case (.string(let a), .string(let b)): return order(Array(a.utf8), Array(b.utf8))
    case (.bytes(let a), .bytes(let b)): return order(a, b)
    case (.timestamp(let a), .timestamp(let b)): return order(a, b)
    case (.location(let a), .location(let b)):
      return a.latitude == b.latitude && a.longitude == b.longitude ? 0 : nil
    case (.reference(let a), .reference(let b)): return a.recordID == b.recordID ? 0 : nil
    default: return nil
    }
  }
}
