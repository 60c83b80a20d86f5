extension PredicateParser {
  private typealias Operator = Predicate.Comparison.Operator

  /// An operator as it is written.
  private enum Written {
    case plain(Operator)
    case notEqual
  }

  /// `field operator value`, `value operator field`, `ANY field …`.
  mutating func comparison() throws(PredicateError) -> Predicate.Node {
    let isAny = scanner.take(.any) || scanner.take(.some)
    scanner.skipSpace()
    let left = try operand()
    scanner.skipSpace()
    let operatorOffset = scanner.position
    let written = try writtenOperator()
    scanner.skipSpace()
    let right = try operand()
    switch (left.content, right.content) {
    case (.field(let field), .value(let value)):
      return try node(field, written, [value], isAny, at: right.offset)
    case (.field(let field), .list(let values)):
      return try node(field, written, list: values, isAny, at: right.offset)
    case (.value(let value), .field(let field)) where !isAny:
      return try node(value: value, written, field, operatorOffset)
    case (.field, .field):
      throw scanner.error(
        "expected a value, found a field; a text needs quotes, and two fields cannot be compared",
        at: right.offset
      )
    default:
      throw scanner.error("expected the name of a field", at: isAny ? left.offset : right.offset)
    }
  }

  private mutating func node(
    _ field: String,
    _ written: Written,
    _ values: [FieldValue],
    _ isAny: Bool,
    at offset: Int
  ) throws(PredicateError) -> Predicate.Node {
    switch written {
    case .notEqual:
      guard !isAny else {
        throw scanner.error("ANY with != is not supported; write NOT ANY … = …", at: offset)
      }
      return .not(try node(field, .equal, values, at: offset))
    case .plain(.equal) where isAny:
      return try node(field, .contains, values, at: offset)
    case .plain(.in), .plain(.between):
      throw scanner.error("expected values in braces, as in {1, 2}, or an argument", at: offset)
    case .plain(let symbol):
      if isAny, symbol != .contains {
        throw scanner.error("ANY takes = , IN or CONTAINS", at: offset)
      }
      return try node(field, symbol, values, at: offset)
    }
  }

  private mutating func node(
    _ field: String,
    _ written: Written,
    list values: [FieldValue],
    _ isAny: Bool,
    at offset: Int
  ) throws(PredicateError) -> Predicate.Node {
    switch written {
    case .plain(.in) where isAny:
      // As an IN first, for its limits.
      _ = try node(field, .in, values, at: offset)
      var members: [Predicate.Node] = []
      for value in values { members.append(try node(field, .contains, [value], at: offset)) }
      return .or(members)
    case .plain(.in):
      return try node(field, .in, values, at: offset)
    case .plain(.between) where !isAny:
      return try node(field, .between, values, at: offset)
    default:
      throw scanner.error("expected one value, found several; IN takes several", at: offset)
    }
  }

  private mutating func node(
    value: FieldValue,
    _ written: Written,
    _ field: String,
    _ offset: Int
  ) throws(PredicateError) -> Predicate.Node {
    switch written {
    case .notEqual:
      return .not(try node(field, .equal, [value], at: offset))
    case .plain(.in):
      return try node(field, .contains, [value], at: offset)
    case .plain(let symbol):
      guard let flipped = symbol.flipped else {
        throw scanner.error("\(symbol.symbol) expects the field on its left", at: offset)
      }
      return try node(field, flipped, [value], at: offset)
    }
  }

  private mutating func writtenOperator() throws(PredicateError) -> Written {
    let written = try operatorSymbol()
    scanner.skipSpace()
    if scanner.isNext("[") {
      throw scanner.error(
        "the modifiers [c], [d] and [cd] are not supported; comparisons are case-sensitive"
      )
    }
    return written
  }

  private mutating func operatorSymbol() throws(PredicateError) -> Written {
    if scanner.take(.in) { return .plain(.in) }
    if scanner.take(.between) { return .plain(.between) }
    if scanner.take(.contains) { return .plain(.contains) }
    if scanner.take(.beginsWith) { return .plain(.beginsWith) }
    if let refusal = scanner.keyword?.refusal { throw scanner.error(refusal) }
    // The longer symbols first.
    if scanner.take("==") { return .plain(.equal) }
    if scanner.take("<=") || scanner.take("=<") { return .plain(.lessThanOrEqual) }
    if scanner.take(">=") || scanner.take("=>") { return .plain(.greaterThanOrEqual) }
    if scanner.take("!=") || scanner.take("<>") { return .notEqual }
    if scanner.take("=") { return .plain(.equal) }
    if scanner.take("<") { return .plain(.lessThan) }
    if scanner.take(">") { return .plain(.greaterThan) }
    if scanner.isNext("+") || scanner.isNext("-") || scanner.isNext("*") || scanner.isNext("/") {
      throw scanner.error("arithmetic is not supported; compare a field with a value")
    }
    throw scanner.expected("an operator: = != < <= > >= BETWEEN IN CONTAINS BEGINSWITH")
  }
}
