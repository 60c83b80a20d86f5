// A total order of canonical nodes. Any would do; this one keeps comparisons before groups and
// reads well: by field, operator, values.
extension Predicate {
  /// Negative, zero or positive; zero only for nodes that print the same.
  static func order(_ a: Node, _ b: Node) -> Int {
    switch (a, b) {
    case (.constant(let a), .constant(let b)): a == b ? 0 : (a ? 1 : -1)
    case (.comparison(let a), .comparison(let b)): order(a, b)
    case (.not(let a), .not(let b)): order(a, b)
    case (.and(let a), .and(let b)), (.or(let a), .or(let b)): order(a, b, by: order)
    // A negated comparison stands with the others of its field.
    case (.not(.comparison(let a)), .comparison(let b)): nonzero(order(a, b), or: 1)
    case (.comparison(let a), .not(.comparison(let b))): nonzero(order(a, b), or: -1)
    default: rank(a) - rank(b)
    }
  }

  /// Negative, zero or positive, by field, operator, modifier, case and values.
  static func order(_ a: Comparison, _ b: Comparison) -> Int {
    let fields = a.field.byteOrder(b.field)
    if fields != 0 { return fields }
    let operators = Int(a.operator.rawValue) - Int(b.operator.rawValue)
    if operators != 0 { return operators }
    let modifiers = Int(a.modifier.rawValue) - Int(b.modifier.rawValue)
    if modifiers != 0 { return modifiers }
    if a.isCaseInsensitive != b.isCaseInsensitive { return a.isCaseInsensitive ? 1 : -1 }
    return order(a.values, b.values, by: order)
  }

  /// Negative, zero or positive, by class and then by meaning.
  package static func order(_ a: FieldValue, _ b: FieldValue) -> Int {
    let classes = (a.meaningClass?.rawValue ?? .max, b.meaningClass?.rawValue ?? .max)
    if classes.0 != classes.1 { return Int(classes.0) - Int(classes.1) }
    return a.meaningOrder(b) ?? 0
  }

  private static func order<T>(_ a: [T], _ b: [T], by order: (T, T) -> Int) -> Int {
    for (a, b) in zip(a, b) {
      let result = order(a, b)
      if result != 0 { return result }
    }
    return a.count - b.count
  }

  private static func nonzero(_ order: Int, or other: Int) -> Int { order != 0 ? order : other }

  private static func rank(_ node: Node) -> Int {
    switch node {
    case .constant: 0
    case .comparison, .not: 1
    case .and: 2
    case .or: 3
    }
  }
}
