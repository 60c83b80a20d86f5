/// What the comparisons of one field in one AND say together.
///
/// A positive comparison fixes the class of the value (number, string, … or a list), so with one
/// present, `NOT a < 5` does mean `a >= 5`, and what is said of other classes is decided. That goes
/// for simple comparisons; the others are decided by an equality only.
struct FieldConjunction {
  private typealias Operator = Predicate.Comparison.Operator
  private struct Bound {
    var value: FieldValue
    var isInclusive: Bool
  }

  private let field: String
  /// Simple ones.
  private let literals: [FieldLiteral]
  private let others: [FieldLiteral]

  /// Comparisons of one field, at least one.
  init(_ literals: [FieldLiteral]) {
    field = literals[0].comparison.field
    self.literals = literals.filter(\.comparison.isSimple)
    others = literals.filter { !$0.comparison.isSimple }
  }

  /// The same said shorter; `nil` when nothing satisfies it.
  var simplified: [FieldLiteral]? {
    guard let simple = simplifiedSimple else { return nil }
    guard simple.count == 1, !simple[0].negated, simple[0].comparison.hasFewValues else {
      return simple + others
    }
    let values = simple[0].comparison.values.filter { value in
      others.allSatisfy { $0.holds(for: value) }
    }
    return literal(oneOf: values)
  }

  private var simplifiedSimple: [FieldLiteral]? {
    let positive = literals.filter { !$0.negated }.map(\.comparison)
    guard let first = positive.first else { return simplified(negative: literals) }
    if let values = finiteValues(positive) { return literal(oneOf: values) }
    // Without a finite set, each positive comparison allows values of one class only.
    let isList = first.operator == .contains
    let valueClass = first.values[0].meaningClass
    guard
      positive.allSatisfy({
        ($0.operator == .contains) == isList && $0.values[0].meaningClass == valueClass
      })
    else { return nil }
    return isList ? simplifiedLists(positive) : simplifiedScalars(positive, valueClass)
  }

  /// The values that satisfy all, when an equality or IN makes them few; else `nil`.
  private func finiteValues(_ positive: [Predicate.Comparison]) -> [FieldValue]? {
    let sets = positive.filter(\.hasFewValues)
    guard let smallest = sets.min(by: { $0.values.count < $1.values.count }) else { return nil }
    return smallest.values.filter { value in literals.allSatisfy { $0.holds(for: value) } }
  }

  private func literal(oneOf values: [FieldValue]) -> [FieldLiteral]? {
    if values.isEmpty { return nil }
    return [FieldLiteral(comparison: .oneOf(values, field: field), negated: false)]
  }

  private func simplifiedLists(_ positive: [Predicate.Comparison]) -> [FieldLiteral]? {
    // Of a list, other comparisons are false; other members may be forbidden besides.
    let negative = literals.filter { $0.negated && $0.comparison.operator == .contains }
    let wanted = positive.flatMap(\.values).sortedAndUnique
    let valueClass = wanted[0].meaningClass
    let forbidden = negative.flatMap(\.comparison.values).sortedAndUnique
      .filter { $0.meaningClass == valueClass }
    guard !forbidden.contains(where: { value in wanted.contains { $0.means(value) } }) else {
      return nil
    }
    return wanted.map { literal(.contains, [$0]) }
      + forbidden.map { literal(.contains, [$0]).opposite }
  }

  private func simplifiedScalars(
    _ positive: [Predicate.Comparison],
    _ valueClass: FieldValue.MeaningClass?
  ) -> [FieldLiteral]? {
    var (lower, upper): (Bound?, Bound?)
    func narrow(_ comparison: Predicate.Comparison, flipped: Bool) {
      let values = comparison.values
      switch comparison.operator {
      case .greaterThan, .greaterThanOrEqual, .lessThan, .lessThanOrEqual:
        let inclusive =
          comparison.operator == .greaterThanOrEqual || comparison.operator == .lessThanOrEqual
        let isLower =
          comparison.operator == .greaterThan || comparison.operator == .greaterThanOrEqual
        let bound = Bound(value: values[0], isInclusive: inclusive != flipped)
        if isLower != flipped {
          lower = Self.tighter(lower, bound, sign: 1)
        } else {
          upper = Self.tighter(upper, bound, sign: -1)
        }
      case .between where !flipped:
        lower = Self.tighter(lower, Bound(value: values[0], isInclusive: true), sign: 1)
        upper = Self.tighter(upper, Bound(value: values[1], isInclusive: true), sign: -1)
      default: break
      }
    }
    for comparison in positive { narrow(comparison, flipped: false) }
    var forbidden: [FieldLiteral] = []
    for literal in literals
    where literal.negated && literal.comparison.operator != .contains {
      switch literal.comparison.operator {
      case .equal, .in: forbidden.append(literal)
      case .between, .beginsWith:
        if literal.comparison.values[0].meaningClass == valueClass { forbidden.append(literal) }
      default:
        if literal.comparison.values[0].meaningClass == valueClass {
          narrow(literal.comparison, flipped: true)
        }
      }
    }
    let prefixes = positive.filter { $0.operator == .beginsWith }.map(\.values[0])
    return combined(range(lower, upper), prefix(prefixes), forbidden)
  }

  private func combined(
    _ range: [FieldLiteral]?,
    _ prefix: [FieldLiteral]?,
    _ forbidden: [FieldLiteral]
  ) -> [FieldLiteral]? {
    guard let range, let prefix else { return nil }
    let wanted = range + prefix
    if range.count == 1, range[0].comparison.operator == .equal {
      let value = range[0].comparison.values[0]
      return (literals + wanted).allSatisfy { $0.holds(for: value) } ? range : nil
    }
    // Forbidding a value outside the range says nothing new.
    let values = forbidden.filter {
      $0.comparison.operator == .equal || $0.comparison.operator == .in
    }
    .flatMap(\.comparison.values).sortedAndUnique
    .filter { value in wanted.allSatisfy { $0.holds(for: value) } }
    let others = forbidden.filter { [.between, .beginsWith].contains($0.comparison.operator) }
    guard !others.contains(where: { other in wanted.contains { implies($0, other.comparison) } })
    else { return nil }
    return wanted + Self.forbidding(values, field: field) + Self.shortestPrefixes(others)
  }

  /// Whether what is wanted is just what is forbidden.
  private func implies(_ wanted: FieldLiteral, _ forbidden: Predicate.Comparison) -> Bool {
    let comparison = wanted.comparison
    if comparison.operator == .beginsWith, forbidden.operator == .beginsWith {
      return forbidden.matches(comparison.values[0])
    }
    return Predicate.order(comparison, forbidden) == 0
  }

  private func range(_ lower: Bound?, _ upper: Bound?) -> [FieldLiteral]? {
    let least = lower.map {
      literal($0.isInclusive ? .greaterThanOrEqual : .greaterThan, [$0.value])
    }
    let most = upper.map { literal($0.isInclusive ? .lessThanOrEqual : .lessThan, [$0.value]) }
    guard let lower, let upper else { return [least, most].compactMap(\.self) }
    let order = Predicate.order(lower.value, upper.value)
    let isClosed = lower.isInclusive && upper.isInclusive
    if order > 0 || (order == 0 && !isClosed) { return nil }
    if order == 0 { return [literal(.equal, [lower.value])] }
    if isClosed { return [literal(.between, [lower.value, upper.value])] }
    return [least, most].compactMap(\.self)
  }

  /// The longest of the prefixes, if the others are prefixes of it.
  private func prefix(_ prefixes: [FieldValue]) -> [FieldLiteral]? {
    let sorted = prefixes.sortedAndUnique
    guard let longest = sorted.last else { return [] }
    guard sorted.allSatisfy({ literal(.beginsWith, [$0]).holds(for: longest) }) else { return nil }
    return [literal(.beginsWith, [longest])]
  }

  /// Only negations: they contradict nothing, for no field at all satisfies them.
  private func simplified(negative literals: [FieldLiteral]) -> [FieldLiteral] {
    var rays: [Predicate.Comparison] = []
    var values: [FieldValue] = []
    var others: [FieldLiteral] = []
    for literal in literals {
      switch literal.comparison.operator {
      case .equal, .in: values += literal.comparison.values
      case .between, .beginsWith, .contains: others.append(literal)
      default: rays.append(literal.comparison)
      }
    }
    return Self.forbidding(values.sortedAndUnique, field: field) + Self.shortestPrefixes(others)
      + Self.widest(rays).map { FieldLiteral(comparison: $0, negated: true) }
  }

  /// Of the forbidden prefixes, those that do not extend another; the rest as it is.
  private static func shortestPrefixes(_ literals: [FieldLiteral]) -> [FieldLiteral] {
    let sorted = literals.sorted { Predicate.order($0.comparison, $1.comparison) < 0 }
    var result: [FieldLiteral] = []
    for literal in sorted {
      if literal.comparison.operator == .beginsWith, let last = result.last,
        last.comparison.operator == .beginsWith,
        last.comparison.matches(literal.comparison.values[0])
      {
        continue
      }
      result.append(literal)
    }
    return result
  }

  /// Of the forbidden rays, the widest of each direction and class.
  private static func widest(_ rays: [Predicate.Comparison]) -> [Predicate.Comparison] {
    var result: [Predicate.Comparison] = []
    for ray in rays {
      let isUp = ray.operator == .greaterThan || ray.operator == .greaterThanOrEqual
      let same = result.firstIndex {
        ($0.operator == .greaterThan || $0.operator == .greaterThanOrEqual) == isUp
          && $0.values[0].meaningClass == ray.values[0].meaningClass
      }
      guard let same else {
        result.append(ray)
        continue
      }
      let order = Predicate.order(ray.values[0], result[same].values[0]) * (isUp ? -1 : 1)
      let isInclusive = ray.operator == .greaterThanOrEqual || ray.operator == .lessThanOrEqual
      if order > 0 || (order == 0 && isInclusive) { result[same] = ray }
    }
    return result
  }

  /// NOT IN, in pieces that an IN can hold.
  private static func forbidding(_ values: [FieldValue], field: String) -> [FieldLiteral] {
    let valueCountMax = PredicateLimits.inValueCountMax
    return stride(from: 0, to: values.count, by: valueCountMax).map { start in
      let piece = Array(values[start..<min(start + valueCountMax, values.count)])
      return FieldLiteral(comparison: .oneOf(piece, field: field), negated: true)
    }
  }

  private static func tighter(_ a: Bound?, _ b: Bound, sign: Int) -> Bound {
    guard let a else { return b }
    let order = Predicate.order(a.value, b.value) * sign
    if order != 0 { return order > 0 ? a : b }
    return a.isInclusive ? b : a
  }

  private func literal(_ operator: Operator, _ values: [FieldValue]) -> FieldLiteral {
    FieldLiteral(
      comparison: Predicate.Comparison(field: field, operator: `operator`, values: values),
      negated: false
    )
  }
}

extension Predicate.Comparison {
  /// Whether a positive one fixes the class of the value.
  fileprivate var isSimple: Bool {
    guard isPlain else { return false }
    switch self.operator {
    case .equal, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .between, .in,
      .beginsWith:
      return true
    // A string may also be a word of a text.
    case .contains: return values[0].meaningClass != .string
    case .notEqual, .endsWith, .like, .containsAnyTokens, .containsAllTokens, .near: return false
    }
  }

  /// Whether only the values written satisfy it.
  fileprivate var hasFewValues: Bool {
    isPlain && (self.operator == .equal || self.operator == .in)
  }
}
