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

extension Predicate.Node {
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
}
