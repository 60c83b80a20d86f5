internal import TidingsModel

/// A comparison with one value that must hold, or must not.
struct Condition {
  var field: String
  var value: FieldValue
  var `operator`: Predicate.Comparison.Operator
  var negated: Bool

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

  mutating func insert(_ new: [Condition]) -> Run {
    if new.isEmpty { return Self.empty }
    let run: Run
    if let start = free[new.count].popLast() {
      run = Run(start: start, count: UInt8(new.count))
      conditions.replaceSubrange(Int(start)..<Int(start) + new.count, with: new)
    } else {
      run = Run(start: UInt32(conditions.count), count: UInt8(new.count))
      conditions += new
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
