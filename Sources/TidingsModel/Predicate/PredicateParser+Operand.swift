/// What stands at one side of an operator.
struct PredicateOperand {
  enum Content {
    case field(String)
    case value(FieldValue)
    case list([FieldValue])
    case distance(String, from: FieldValue)
  }

  var content: Content
  /// Where it begins, in bytes.
  var offset: Int
  /// Whether `tokenize:using:` stands around it.
  var isTokenized = false

  var isValue: Bool {
    switch content {
    case .value, .list: true
    case .field, .distance: false
    }
  }
}

extension PredicateParser {
  /// A field, a value, several values or a function.
  mutating func operand() throws(PredicateError) -> PredicateOperand {
    if let function = try function() { return function }
    return try simpleOperand()
  }

  mutating func simpleOperand() throws(PredicateError) -> PredicateOperand {
    let offset = scanner.position
    let content: PredicateOperand.Content
    switch scanner.next {
    case UInt8(ascii: "%"): content = try placeholder()
    case UInt8(ascii: "{"): content = .list(try braces())
    case UInt8(ascii: "#"):
      _ = scanner.take("#")
      guard let name = scanner.word else { throw scanner.expected("the name of a field") }
      scanner.skip(name)
      content = .field(try checked(name, at: offset))
    default: content = try fieldOrLiteral()
    }
    if scanner.isNext(".") || scanner.isNext("[") {
      throw scanner.error(
        "key paths, aggregates and subscripts are not supported; name a field of the record"
      )
    }
    return PredicateOperand(content: content, offset: offset)
  }

  private mutating func fieldOrLiteral() throws(PredicateError) -> PredicateOperand.Content {
    let offset = scanner.position
    if let literal = try literal() { return .value(literal) }
    if scanner.isNext("$") {
      throw scanner.error("variables are not supported; use %@ and an argument")
    }
    guard let name = scanner.word else { throw scanner.expected("the name of a field or a value") }
    if scanner.take(.selfWord) { return .field(Predicate.Comparison.fullTextField) }
    if let keyword = scanner.keyword {
      if let refusal = keyword.refusal {
        throw scanner.error("\(refusal); write #\(name) for a field of this name")
      }
      throw scanner.error(
        "expected the name of a field or a value, found '\(name)'; "
          + "write #\(name) for a field of this name"
      )
    }
    scanner.skip(name)
    guard !scanner.isNext(":"), !scanner.isNext("(") else {
      throw scanner.error(
        "functions such as '\(name.prefix(40))' are not supported; there are now(), "
          + "distanceToLocation:fromLocation: and tokenize:using:",
        at: offset
      )
    }
    return .field(try checked(name, at: offset))
  }

  private func checked(_ name: String, at offset: Int) throws(PredicateError) -> String {
    if let problem = Predicate.Comparison.problem(inFieldName: name) {
      throw scanner.error(problem, at: offset)
    }
    return name
  }

  /// `%@` and `%K`.
  private mutating func placeholder() throws(PredicateError) -> PredicateOperand.Content {
    let offset = scanner.position
    if scanner.take("%@") {
      let argument = try argument(at: offset)
      if let members = argument.members { return .list(Array(members)) }
      return .value(argument)
    }
    guard scanner.take("%K") else {
      throw scanner.error("expected %@ (a value) or %K (the name of a field)")
    }
    guard case .string(let name) = try argument(at: offset) else {
      throw scanner.error("%K takes a string, the name of a field", at: offset)
    }
    return .field(try checked(name, at: offset))
  }

  private mutating func argument(at offset: Int) throws(PredicateError) -> FieldValue {
    guard let argument = arguments.next() else {
      throw scanner.error(
        "there is no argument for this place; \(arguments.count) given",
        at: offset
      )
    }
    return argument
  }

  /// `{a, b}`.
  private mutating func braces() throws(PredicateError) -> [FieldValue] {
    let start = scanner.position
    _ = scanner.take("{")
    scanner.skipSpace()
    if scanner.take("}") { throw scanner.error("expected at least 1 value in braces", at: start) }
    var values: [FieldValue] = []
    while true {
      scanner.skipSpace()
      // Braces within braces would recurse as deep as the text is long.
      guard !scanner.isNext("{") else { throw scanner.expected("a single value in braces") }
      let operand = try simpleOperand()
      guard case .value(let value) = operand.content else {
        throw scanner.error("expected a single value in braces", at: operand.offset)
      }
      values.append(value)
      guard values.count <= PredicateLimits.inValueCountMax else {
        throw scanner.error(
          "IN takes at most \(PredicateLimits.inValueCountMax) values; join several INs with OR",
          at: operand.offset
        )
      }
      scanner.skipSpace()
      if scanner.take("}") { return values }
      guard scanner.take(",") else { throw scanner.expected("',' or '}'") }
    }
  }
}

/// The arguments of a text, taken in order.
struct PredicateArguments {
  private let values: [FieldValue]
  private var used = 0

  init(_ values: [FieldValue]) { self.values = values }

  var count: Int { values.count }

  /// Says that arguments are left over.
  var problemAtEnd: String? {
    used == count ? nil : "the text uses \(used) arguments, \(count) are given"
  }

  mutating func next() -> FieldValue? {
    guard used < count else { return nil }
    used += 1
    return values[used - 1]
  }
}
