extension PredicateParser {
  private typealias Operator = Predicate.Comparison.Operator

  /// What stands between field and value, and before them.
  private struct Written {
    var `operator`: Operator
    /// Where the operator begins, in bytes.
    var offset: Int
    var isCaseInsensitive = false
    /// Where `[d]` or `[cd]` stands, in bytes.
    var diacriticOffset: Int?
    var modifier = Predicate.Comparison.Modifier.none
    /// Whether NONE stands before the field.
    var isNone = false
  }

  /// `field operator value`, `value operator field`, `ANY field …`.
  mutating func comparison() throws(PredicateError) -> Predicate.Node {
    let (modifier, isNone) = quantifier()
    scanner.skipSpace()
    let left = try operand()
    scanner.skipSpace()
    var written = try writtenOperator()
    (written.modifier, written.isNone) = (modifier, isNone)
    scanner.skipSpace()
    let right = try operand()
    let node = try node(left, written, right)
    return isNone ? .not(node) : node
  }

  private mutating func quantifier() -> (Predicate.Comparison.Modifier, isNone: Bool) {
    if scanner.take(.any) || scanner.take(.some) { return (.any, false) }
    if scanner.take(.none) { return (.any, true) }
    return (scanner.take(.all) ? .all : .none, false)
  }

  private mutating func node(
    _ left: PredicateOperand,
    _ written: Written,
    _ right: PredicateOperand
  ) throws(PredicateError) -> Predicate.Node {
    var written = written
    if left.isTokenized || right.isTokenized { try tokenize(&written) }
    switch (left.content, right.content) {
    case (.field(let field), .value(let value)):
      if written.operator == .in || written.operator == .between {
        throw scanner.error(
          "expected values in braces, as in {1, 2}, or an argument",
          at: right.offset
        )
      }
      return try node(field, written, [value], at: right.offset)
    case (.field(let field), .list(let values)):
      guard written.operator == .in || written.operator == .between else {
        throw scanner.error("expected one value, found several; IN takes several", at: right.offset)
      }
      return try node(field, written, values, at: right.offset)
    case (.distance(let field, let centre), .value(let metres)):
      return try near(field, centre, written, metres, at: right.offset)
    case (.value(let metres), .distance(let field, let centre)) where written.modifier == .none:
      try flip(&written)
      return try near(field, centre, written, metres, at: left.offset)
    case (.value(let value), .field(let field)) where written.modifier == .none:
      try flip(&written)
      return try node(field, written, [value], at: written.offset)
    case (.field, .field):
      throw scanner.error(
        "expected a value, found a field; a text needs quotes, and two fields cannot be compared",
        at: right.offset
      )
    default:
      let isMisplaced = written.modifier != .none || right.isValue == false
      throw scanner.error(
        "expected the name of a field",
        at: isMisplaced ? left.offset : right.offset
      )
    }
  }

  private mutating func node(
    _ field: String,
    _ written: Written,
    _ values: [FieldValue],
    at offset: Int
  ) throws(PredicateError) -> Predicate.Node {
    var comparison = Predicate.Comparison(
      field: field,
      operator: written.operator,
      values: values,
      modifier: written.modifier,
      isCaseInsensitive: written.isCaseInsensitive
    )
    if comparison.isFullText, comparison.operator == .contains {
      comparison.operator = .containsAnyTokens
    }
    let isOfWords =
      comparison.operator == .containsAnyTokens || comparison.operator == .containsAllTokens
    if let location = written.diacriticOffset, !isOfWords {
      throw scanner.error(
        "[d] and [cd] are not supported, diacritics count; [c] ignores case, and CONTAINS ANY "
          + "finds words without regard to both",
        at: location
      )
    }
    return try node(comparison, at: offset)
  }

  private mutating func near(
    _ field: String,
    _ centre: FieldValue,
    _ written: Written,
    _ metres: FieldValue,
    at offset: Int
  ) throws(PredicateError) -> Predicate.Node {
    guard written.operator == .lessThan || written.operator == .lessThanOrEqual else {
      throw scanner.error(
        "a distance can only be less than a number of metres; NOT (… < …) asks for what is farther",
        at: written.offset
      )
    }
    var near = written
    near.operator = .near
    return try node(field, near, [centre, metres], at: offset)
  }

  /// Exchanges the sides.
  private func flip(_ written: inout Written) throws(PredicateError) {
    if written.operator == .in {
      written.operator = .contains
      return
    }
    guard let flipped = written.operator.flipped else {
      throw scanner.error(
        "\(written.operator.symbol) expects the field on its left",
        at: written.offset
      )
    }
    written.operator = flipped
  }

  /// `tokenize:using:` is for CONTAINS.
  private func tokenize(_ written: inout Written) throws(PredicateError) {
    switch written.operator {
    case .contains: written.operator = .containsAnyTokens
    case .containsAnyTokens, .containsAllTokens: break
    default: throw scanner.error("tokenize:using: takes CONTAINS", at: written.offset)
    }
  }
}

// Operators.
extension PredicateParser {
  private mutating func writtenOperator() throws(PredicateError) -> Written {
    var written = Written(operator: .equal, offset: scanner.position)
    written.operator = try operatorSymbol()
    scanner.skipSpace()
    if scanner.isNext("[") { try readOptions(&written) }
    if written.operator == .contains {
      scanner.skipSpace()
      if scanner.take(.any) || scanner.take(.some) {
        written.operator = .containsAnyTokens
      } else if scanner.take(.all) {
        written.operator = .containsAllTokens
      }
    }
    return written
  }

  /// `[c]`, and `[d]` for those who can ignore it.
  private mutating func readOptions(_ written: inout Written) throws(PredicateError) {
    let offset = scanner.position
    _ = scanner.take("[")
    while let byte = scanner.next, byte.isASCIILetter {
      switch byte | 0x20 {
      case UInt8(ascii: "c"): written.isCaseInsensitive = true
      case UInt8(ascii: "d"): written.diacriticOffset = offset
      default:
        throw scanner.error("expected [c], which ignores case; there are no other options")
      }
      scanner.advance()
    }
    guard scanner.take("]"), scanner.position > offset + 2 else {
      throw scanner.error("expected [c], which ignores case", at: offset)
    }
  }

  private mutating func operatorSymbol() throws(PredicateError) -> Operator {
    if scanner.take(.in) { return .in }
    if scanner.take(.between) { return .between }
    if scanner.take(.contains) { return .contains }
    if scanner.take(.beginsWith) { return .beginsWith }
    if scanner.take(.endsWith) { return .endsWith }
    if scanner.take(.like) { return .like }
    if let refusal = scanner.keyword?.refusal { throw scanner.error(refusal) }
    // The longer symbols first.
    if scanner.take("==") { return .equal }
    if scanner.take("<=") || scanner.take("=<") { return .lessThanOrEqual }
    if scanner.take(">=") || scanner.take("=>") { return .greaterThanOrEqual }
    if scanner.take("!=") || scanner.take("<>") { return .notEqual }
    if scanner.take("=") { return .equal }
    if scanner.take("<") { return .lessThan }
    if scanner.take(">") { return .greaterThan }
    if scanner.isNext("+") || scanner.isNext("-") || scanner.isNext("*") || scanner.isNext("/") {
      throw scanner.error("arithmetic is not supported; compare a field with a value")
    }
    if scanner.word?.uppercased() == "IS" { throw scanner.error(PredicateWord.absence("IS NULL")) }
    if scanner.word?.uppercased() == "UTI" {
      throw scanner.error(
        "UTI-CONFORMS-TO and UTI-EQUALS are not supported; = and IN compare types"
      )
    }
    throw scanner.expected(
      "an operator: = != < <= > >= BETWEEN IN CONTAINS BEGINSWITH ENDSWITH LIKE"
    )
  }
}
