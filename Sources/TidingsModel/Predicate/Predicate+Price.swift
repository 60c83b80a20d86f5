extension Predicate {
  /// Refuses a predicate that takes too long to evaluate for one record with large values.
  ///
  /// - Throws: With what is allowed.
  public func checkPrice() throws(PredicateError) {
    let count = root.searchCount
    let countMax = PredicateLimits.searchCountMax
    guard count > countMax else { return }
    throw PredicateError(
      "\(count) comparisons look through whole texts or lists (LIKE, and ANY, ALL and NONE with other "
        + "operators than =, IN and CONTAINS), at most \(countMax) are allowed; use words (CONTAINS), IN or "
        + "fewer patterns"
    )
  }
}

extension Predicate {
  /// Steps for one record, of about a nanosecond, that are taken at once.
  private static let stepsAtOnce = 2_000_000

  /// The bytes of a record up to which it takes no longer to evaluate all comparisons than what is taken at once.
  public var bytesAtOnceMax: Int { Self.stepsAtOnce / max(1, root.stepsPerByte) }
}

extension Predicate.Node {
  /// What a byte of a record costs, about, when each comparison looks at it.
  fileprivate var stepsPerByte: Int {
    switch self {
    case .constant: 0
    case .comparison(let comparison): comparison.stepsPerByte
    case .not(let operand): operand.stepsPerByte
    case .and(let operands), .or(let operands): operands.reduce(0) { $0 + $1.stepsPerByte }
    }
  }

  /// How many comparisons look through all of a value.
  fileprivate var searchCount: Int {
    switch self {
    case .constant: 0
    case .comparison(let comparison): comparison.isSearch ? 1 : 0
    case .not(let operand): operand.searchCount
    case .and(let operands), .or(let operands): operands.reduce(0) { $0 + $1.searchCount }
    }
  }
}

extension Predicate.Comparison {
  /// Whether it looks through all of a value, and nothing that is found once for all predicates answers it.
  fileprivate var isSearch: Bool {
    switch (modifier, self.operator) {
    case (.none, .like): true
    case (.none, _), (.any, .equal), (.any, .in): false
    case (.any, _), (.all, _): true
    }
  }

  /// About how many nanoseconds it takes for a byte of the value.
  fileprivate var stepsPerByte: Int {
    let folding = isCaseInsensitive ? 4 : 0
    return switch (modifier, self.operator) {
    case (.none, .contains), (.none, .containsAnyTokens), (.none, .containsAllTokens):
      // Each word of the text is compared with each of these.
      folding + 8 + 2 * spaceCount
    case (.none, .like): folding + 2
    // It is read, and compared with a few bytes.
    case (.none, _): folding + 1
    case (.any, _), (.all, _): folding + 8
    }
  }

  private var spaceCount: Int {
    guard case .string(let words)? = values.first else { return 0 }
    return words.utf8.count { $0 == UInt8(ascii: " ") }
  }
}
