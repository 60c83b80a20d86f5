/// What is known of the comparisons of predicates with one record: found in pieces, on any thread, where to evaluate a
/// predicate at once would take too long.
public struct ComparisonAnswers: Sendable {
  /// By comparisons, each as a predicate: those distinguish texts that Swift takes for equal.
  private var known: [Predicate: Bool] = [:]
  /// Of the first comparison that is not known, where it was given up in the middle.
  private var open: ResumableEvaluation?

  /// Nothing is known.
  public init() {}

  /// Finds the answers to the comparisons of a predicate.
  ///
  /// - Parameters:
  ///   - predicate: The predicate, the same each time.
  ///   - record: The record, with the same fields each time.
  ///   - largeBytesMin: Values of so many bytes are looked through in pieces.
  ///   - isOver: Whether to give up; one comparison gets on in any case.
  /// - Returns: Whether all are known.
  public mutating func find(
    of predicate: Predicate,
    in record: Record,
    largeBytesMin: Int,
    until isOver: () -> Bool
  ) -> Bool {
    var isBegun = false
    for comparison in predicate.root.comparisons where known[comparison] == nil {
      if isBegun, isOver() { return false }
      isBegun = true
      var evaluation = open ?? ResumableEvaluation(of: comparison)
      open = nil
      guard let answer = evaluation.matches(record, largeBytesMin: largeBytesMin, until: isOver)
      else {
        open = evaluation
        return false
      }
      known[comparison] = answer
    }
    return true
  }

  /// Whether a record, that of which this is known, satisfies a comparison.
  fileprivate func holds(_ comparison: Predicate.Comparison, _ record: Record) -> Bool {
    guard !known.isEmpty else { return comparison.matches(record) }
    return known[Predicate(canonical: .comparison(comparison))] ?? comparison.matches(record)
  }
}

extension Predicate {
  /// Whether a record matches, of which something is known.
  public func matches(_ record: Record, knowing answers: ComparisonAnswers) -> Bool {
    root.matches(record, knowing: answers)
  }
}

extension Predicate.Node {
  /// Whether a record matches this canonical node, of which something is known.
  func matches(_ record: Record, knowing answers: ComparisonAnswers) -> Bool {
    switch self {
    case .constant(let value): value
    case .comparison(let comparison): answers.holds(comparison, record)
    case .not(let operand): !operand.matches(record, knowing: answers)
    case .and(let operands): operands.allSatisfy { $0.matches(record, knowing: answers) }
    case .or(let operands): operands.contains { $0.matches(record, knowing: answers) }
    }
  }

  /// The comparisons of this canonical node, each as a predicate.
  fileprivate var comparisons: [Predicate] {
    switch self {
    case .constant: []
    case .comparison: [Predicate(canonical: self)]
    case .not(let operand): operand.comparisons
    case .and(let operands), .or(let operands): operands.flatMap(\.comparisons)
    }
  }
}
