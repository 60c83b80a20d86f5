/// The evaluation of a predicate for one record that may take long: given up in the middle, and resumed later, on any
/// thread.
///
/// It keeps the part of the predicate that is not decided, and nothing of the record: large values are looked through
/// again where something still asks for them. So evaluations that wait take little memory, however large their records are.
public struct ResumableEvaluation: Sendable {
  private let predicate: Predicate
  private var rest: Predicate.Node
  private var wordsProgress = WantedWords.Progress()

  /// The evaluation of a predicate for a record, before its begin.
  public init(of predicate: Predicate) {
    self.predicate = predicate
    rest = predicate.root
  }

  /// Works on the evaluation.
  ///
  /// - Parameters:
  ///   - record: The record, with the same fields each time.
  ///   - largeBytesMin: Values of so many bytes are looked through once for all comparisons.
  ///   - isOver: Whether to give up; one comparison gets on in any case.
  /// - Returns: Whether the record matches; `nil`: it was given up.
  public mutating func matches(
    _ record: Record,
    largeBytesMin: Int,
    until isOver: () -> Bool
  ) -> Bool? {
    // The values are read once, and not for each comparison.
    let fields = record.fields.sorted
    var record = record
    record.fields = RecordFields(fields)
    let memory = EvaluationMemory(stepsMax: nil, largeBytesMin: largeBytesMin)
    memory.beginPass()
    let large = LargeFields(record, memory)
    var words: WantedWords?
    var isGivenUp = false
    rest = rest.rest { comparison in
      defer {
        if !isGivenUp, isOver() {
          isGivenUp = true
          memory.spendBudget()
        }
      }
      guard comparison.isFullText, record.predicateValue(comparison.field) == nil else {
        return large.map { comparison.matches(record, $0) } ?? comparison.matches(record)
      }
      if words == nil {
        words = WantedWords(of: predicate.root, resuming: wordsProgress)
        if !isGivenUp { words?.find(in: fields, until: isOver) }
      }
      return words?.answer(to: comparison)
    }
    if let words { wordsProgress = words.progress }
    return if case .constant(let answer) = rest { answer } else { nil }
  }
}

extension Predicate.Node {
  /// What is left of this node when the answers that are known take the place of their comparisons; a constant: it is
  /// decided.
  fileprivate func rest(_ answer: (Predicate.Comparison) -> Bool?) -> Self {
    switch self {
    case .constant: return self
    case .comparison(let comparison): return answer(comparison).map(Self.constant) ?? self
    case .not(let operand):
      let rest = operand.rest(answer)
      if case .constant(let value) = rest { return .constant(!value) }
      return .not(rest)
    case .and(let operands): return Self.rest(of: operands, decidedBy: false, Self.and, answer)
    case .or(let operands): return Self.rest(of: operands, decidedBy: true, Self.or, answer)
    }
  }

  private static func rest(
    of operands: [Self],
    decidedBy decisive: Bool,
    _ combine: ([Self]) -> Self,
    _ answer: (Predicate.Comparison) -> Bool?
  ) -> Self {
    var left: [Self] = []
    for operand in operands {
      let rest = operand.rest(answer)
      if case .constant(let value) = rest {
        if value == decisive { return rest }
      } else {
        left.append(rest)
      }
    }
    return left.isEmpty ? .constant(!decisive) : combine(left)
  }
}
