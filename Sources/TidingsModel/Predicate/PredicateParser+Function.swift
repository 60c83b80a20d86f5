// The functions of CloudKit's predicates.
extension PredicateParser {
  /// The function that stands here; `nil` when none does.
  mutating func function() throws(PredicateError) -> PredicateOperand? {
    let offset = scanner.position
    if scanner.take("distanceToLocation:fromLocation:") { return try distance(at: offset) }
    if scanner.take("tokenize:using:") { return try tokenized(at: offset) }
    return nil
  }

  /// `(field, location)`, in any order.
  private mutating func distance(at offset: Int) throws(PredicateError) -> PredicateOperand {
    let (first, second) = try pair()
    switch (first.content, second.content) {
    case (.field(let field), .value(let centre)), (.value(let centre), .field(let field)):
      guard case .location = centre else {
        let anchor = first.isValue ? first.offset : second.offset
        throw scanner.error("expected a location, found \(centre.kind.rawValue)", at: anchor)
      }
      return PredicateOperand(content: .distance(field, from: centre), offset: offset)
    default:
      throw scanner.error(
        "distanceToLocation:fromLocation: takes a field and a location",
        at: first.offset
      )
    }
  }

  /// `(field or text, options)`; CloudKit's search ignores case and diacritics anyway.
  private mutating func tokenized(at offset: Int) throws(PredicateError) -> PredicateOperand {
    let (first, second) = try pair()
    guard case .value(.string) = second.content else {
      throw scanner.error("expected options in quotes, as in 'cdl'", at: second.offset)
    }
    switch first.content {
    case .field, .value(.string): break
    default: throw scanner.error("expected a field or a text in quotes", at: first.offset)
    }
    return PredicateOperand(content: first.content, offset: offset, isTokenized: true)
  }

  /// Two operands in parentheses, none of them a function.
  private mutating func pair() throws(PredicateError) -> (PredicateOperand, PredicateOperand) {
    try expect("(")
    let first = try simpleOperand()
    try expect(",")
    let second = try simpleOperand()
    try expect(")")
    return (first, second)
  }
}
