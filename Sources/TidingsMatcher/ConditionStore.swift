package import TidingsModel

/// A comparison with one value that must hold, or must not.
package struct Condition {
  var field: String
  var value: FieldValue
  var `operator`: Predicate.Comparison.Operator
  /// It must not hold.
  package var negated: Bool

  func holds(for record: Record) -> Bool {
    guard let own = record.predicateValue(field) else { return negated }
    return self.operator.holds(for: own, value) != negated
  }

  /// As `holds(for:)`; `nil`: more is to be found first.
  func holds(for record: Record, _ large: LargeFields) -> Bool? {
    guard large[field] != nil else { return holds(for: record) }
    let comparison = Predicate.Comparison(field: field, operator: `operator`, values: [value])
    return comparison.matches(record, large).map { $0 != negated }
  }

  /// The kind of the term that leads to all records for which it holds; `nil`: no term does.
  var termKind: Term.Kind? { negated ? nil : Term.Kind(of: self.operator) }

  /// Splits what must hold into conditions and the remainder.
  ///
  /// A tree is six places in memory for each comparison, and as many waits for it; conditions lie
  /// side by side.
  static func split(_ node: Predicate.Node) -> (conditions: [Condition], rest: Predicate.Node?) {
    var conditions: [Condition] = []
    var rest: [Predicate.Node] = []
    let operands = if case .and(let operands) = node { operands } else { [node] }
    for operand in operands {
      let found = of(operand)
      if found.isEmpty || conditions.count + found.count > ConditionStore.runCountMax {
        rest.append(operand)
      } else {
        conditions += found
      }
    }
    return (conditions, rest.isEmpty ? nil : (rest.count == 1 ? rest[0] : .and(rest)))
  }

  private static func of(_ node: Predicate.Node) -> [Condition] {
    switch node {
    case .comparison(let comparison) where !comparison.isCondition,
      .not(.comparison(let comparison)) where !comparison.isCondition:
      return []
    case .not(.comparison(let comparison)) where comparison.values.count == 1:
      return [one(comparison, comparison.operator, comparison.values[0], negated: true)]
    case .comparison(let comparison) where comparison.operator == .between:
      return [
        one(comparison, .greaterThanOrEqual, comparison.values[0]),
        one(comparison, .lessThanOrEqual, comparison.values[1]),
      ]
    case .comparison(let comparison) where comparison.values.count == 1:
      return [one(comparison, comparison.operator, comparison.values[0])]
    default:
      return []
    }
  }

  private static func one(
    _ comparison: Predicate.Comparison,
    _ operator: Predicate.Comparison.Operator,
    _ value: FieldValue,
    negated: Bool = false
  ) -> Condition {
    Condition(field: comparison.field, value: value, operator: `operator`, negated: negated)
  }
}

extension Predicate.Comparison {
  /// Whether the operator and the values say all.
  fileprivate var isCondition: Bool { isPlain && !isFullText && self.operator != .near }
}

extension Condition {
  /// Most conditions of a channel that is inserted without a predicate.
  package static let countMax = ConditionStore.runCountMax

  /// An equality or an order of a field that is looked up by one term; `nil`: it is another comparison.
  package init?(
    field: String,
    operator: Predicate.Comparison.Operator,
    value: FieldValue
  ) {
    guard Term.Kind(of: `operator`) != nil, field != Predicate.Comparison.fullTextField else {
      return nil
    }
    self.init(field: field, value: value, operator: `operator`, negated: false)
  }
}

extension Term.Kind {
  /// Of the terms that say the same as a comparison with one value; `nil`: more is to be looked at.
  fileprivate init?(of operator: Predicate.Comparison.Operator) {
    switch `operator` {
    case .equal: self = .equal
    case .greaterThan: self = .greaterThan
    case .greaterThanOrEqual: self = .greaterThanOrEqual
    case .lessThan: self = .lessThan
    case .lessThanOrEqual: self = .lessThanOrEqual
    default: return nil
    }
  }
}

/// Conditions of all channels in one array, those of one channel in a run.
struct ConditionStore {
  static let runCountMax = 8
  static let empty = Run(start: 0, count: 0)

  struct Run {
    var start: UInt32
    var count: UInt8
  }

  private var conditions: [Condition] = []
  /// By length, the free runs.
  private var free: [[UInt32]] = Array(repeating: [], count: Self.runCountMax + 1)

  func hold(_ run: Run, for record: Record) -> Bool {
    var index = Int(run.start)
    let end = index + Int(run.count)
    while index < end {
      guard conditions[index].holds(for: record) else { return false }
      index += 1
    }
    return true
  }

  /// As `hold(_:for:)`; `nil`: more is to be found first.
  func hold(_ run: Run, for record: Record, _ large: LargeFields) -> Bool? {
    var isKnown = true
    for condition in conditions[Int(run.start)..<Int(run.start) + Int(run.count)] {
      guard let holds = condition.holds(for: record, large) else {
        isKnown = false
        continue
      }
      if !holds { return false }
    }
    return isKnown ? true : nil
  }

  mutating func reserveCapacity(_ count: Int) { conditions.reserveCapacity(count) }

  /// Adds conditions, all but one if its index is given.
  mutating func insert(_ new: [Condition], except omitted: Int? = nil) -> Run {
    let count = new.count - (omitted == nil ? 0 : 1)
    guard count > 0 else { return Self.empty }
    let reused = free[count].popLast()
    let run = Run(start: reused ?? UInt32(conditions.count), count: UInt8(count))
    var index = Int(run.start)
    for (position, condition) in new.enumerated() where position != omitted {
      if reused == nil { conditions.append(condition) } else { conditions[index] = condition }
      index += 1
    }
    return run
  }

  mutating func remove(_ run: Run) {
    if run.count == 0 { return }
    for index in Int(run.start)..<Int(run.start) + Int(run.count) {
      conditions[index].field = ""
      conditions[index].value = .int64(0)
    }
    free[Int(run.count)].append(run.start)
  }
}
