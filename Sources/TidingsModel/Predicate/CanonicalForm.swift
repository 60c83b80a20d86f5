/// Brings trees into the canonical form, in which equal meanings look equal more often than not.
///
/// - NOT stands straight before comparisons only. `NOT a < 5` stays: it is true for a record
///   without the field, where `a >= 5` is false. `a != 5` is `NOT a = 5`.
/// - A value has one form: 5.0 is 5, a reference has no action, a location only coordinates.
/// - AND and OR are flat, their operands sorted, each once; constants are folded.
/// - A comparison has one spelling (`Predicate.Comparison.canonicalAlternatives`): system fields have
///   one name, what differs in case only is in lowercase, words are sorted, a LIKE that begins, ends
///   or equals says so.
/// - What several comparisons of one field in one AND or OR say is said once (`FieldConjunction`):
///   OR of equalities is IN, `>=` AND `<=` is BETWEEN, contradictions are FALSEPREDICATE.
///
/// There is no distribution, so the form is never larger than the tree it is made of.
enum CanonicalForm {
  static func of(_ node: Predicate.Node) -> Predicate.Node { of(node, negated: false) }

  private static func of(_ node: Predicate.Node, negated: Bool) -> Predicate.Node {
    switch node {
    case .constant(let value):
      .constant(value != negated)
    case .comparison(let comparison):
      literal(comparison, negated: negated)
    case .not(let operand):
      of(operand, negated: !negated)
    case .and(let operands):
      combine(operands.map { of($0, negated: negated) }, isAnd: !negated)
    case .or(let operands):
      combine(operands.map { of($0, negated: negated) }, isAnd: negated)
    }
  }

  private static func literal(
    _ comparison: Predicate.Comparison,
    negated: Bool
  ) -> Predicate.Node {
    let alternatives = comparison.canonicalAlternatives
    if alternatives.count == 1 {
      return (negated ? alternatives[0].opposite : alternatives[0]).node
    }
    return combine(
      alternatives.map { (negated ? $0.opposite : $0).node },
      isAnd: negated
    )
  }

  private static func combine(_ operands: [Predicate.Node], isAnd: Bool) -> Predicate.Node {
    var literals: [FieldLiteral] = []
    var groups: [Predicate.Node] = []
    func add(_ operand: Predicate.Node) -> Bool {
      switch operand {
      case .constant(let value): return value == isAnd
      case .comparison(let comparison):
        literals.append(FieldLiteral(comparison: comparison, negated: false))
      case .not(.comparison(let comparison)):
        literals.append(FieldLiteral(comparison: comparison, negated: true))
      case .and(let inner) where isAnd, .or(let inner) where !isAnd: return inner.allSatisfy(add)
      default: groups.append(operand)
      }
      return true
    }
    guard operands.allSatisfy(add), let kept = simplify(literals, isAnd: isAnd) else {
      return .constant(!isAnd)
    }
    var all = kept.map(\.node) + groups
    all.sort { Predicate.order($0, $1) < 0 }
    all.removeRepeated { Predicate.order($0, $1) == 0 }
    if all.hasOpposites { return .constant(!isAnd) }
    if all.count == 1 { return all[0] }
    if all.isEmpty { return .constant(isAnd) }
    return isAnd ? .and(all) : .or(all)
  }

  /// Simplifies the comparisons of one AND, or by De Morgan's law of one OR.
  ///
  /// - Returns: `nil` when they contradict each other (in an OR: cover everything).
  private static func simplify(_ literals: [FieldLiteral], isAnd: Bool) -> [FieldLiteral]? {
    guard literals.count > 1 else { return literals }
    var byField: [String: [FieldLiteral]] = [:]
    for literal in literals {
      byField[literal.comparison.field, default: []].append(isAnd ? literal : literal.opposite)
    }
    var result: [FieldLiteral] = []
    for group in byField.values {
      guard group.count > 1 else {
        result += group
        continue
      }
      guard let simplified = FieldConjunction(group).simplified else { return nil }
      result += simplified
    }
    return isAnd ? result : result.map(\.opposite)
  }
}

/// A comparison or its negation.
struct FieldLiteral {
  var comparison: Predicate.Comparison
  var negated: Bool

  var opposite: Self { Self(comparison: comparison, negated: !negated) }
  var node: Predicate.Node { negated ? .not(.comparison(comparison)) : .comparison(comparison) }

  /// Whether a field with this value satisfies it.
  func holds(for value: FieldValue) -> Bool { comparison.matches(value) != negated }
}

extension Predicate.Comparison {
  /// The canonical equality or IN for sorted values, at least one.
  static func oneOf(_ values: [FieldValue], field: String) -> Self {
    Self(field: field, operator: values.count == 1 ? .equal : .in, values: values)
  }
}

extension [Predicate.Node] {
  /// Whether a comparison and its negation are among these, which are sorted.
  fileprivate var hasOpposites: Bool {
    zip(self, dropFirst()).contains { first, second in
      guard case .comparison(let a) = first, case .not(.comparison(let b)) = second else {
        return false
      }
      return Predicate.order(a, b) == 0
    }
  }
}

extension [FieldValue] {
  /// In total order, each meaning once.
  var sortedAndUnique: Self {
    var result = sorted { Predicate.order($0, $1) < 0 }
    result.removeRepeated { Predicate.order($0, $1) == 0 }
    return result
  }
}

extension Array {
  /// Removes all but the first of equal neighbours.
  mutating func removeRepeated(by areEqual: (Element, Element) -> Bool) {
    guard count > 1 else { return }
    var kept = 1
    for index in 1..<count where !areEqual(self[kept - 1], self[index]) {
      self[kept] = self[index]
      kept += 1
    }
    removeLast(count - kept)
  }
}
