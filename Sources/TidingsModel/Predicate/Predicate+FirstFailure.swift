extension Predicate {
  /// Why a record does not match: the first part of the predicate that is false, and what it met.
  ///
  /// Holds values of the record: show it only to who may read the record.
  public struct Failure: Hashable, Sendable {
    /// The canonical text of the part.
    public let term: String
    /// What the part asks for, as a literal of the language; empty when that is not one value.
    public let expectedValue: String
    /// What the record has instead, likewise, of at most `shownCharactersMax` characters; `absent`
    /// for no value, empty when several fields are looked at.
    public let actualValue: String
    /// All of that as a sentence.
    public let message: String

    /// Of a longer value only so much is shown.
    public static let shownCharactersMax = 100
  }

  /// The first part of this predicate that is false for a record; `nil` when the record matches.
  ///
  /// Of an AND the first operand that is false, in canonical order. Of an OR the alternative of
  /// which the greatest share holds, if there is one such; otherwise the whole.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - answers: What is known of the comparisons with it.
  /// - Returns: The part and what it met.
  public func firstFailure(
    for record: Record,
    knowing answers: ComparisonAnswers = .init()
  ) -> Failure? {
    root.firstFalse(for: record, answers).map { Failure($0, record) }
  }
}

extension Predicate.Node {
  /// The part of this canonical node that `Predicate.firstFailure` returns; `nil` when it holds.
  fileprivate func firstFalse(for record: Record, _ answers: ComparisonAnswers) -> Self? {
    if matches(record, knowing: answers) { return nil }
    switch self {
    case .and(let operands):
      return operands.lazy.compactMap { $0.firstFalse(for: record, answers) }.first ?? self
    case .or(let operands):
      return Self.nearest(of: operands, to: record, answers)?.firstFalse(for: record, answers)
        ?? self
    // A canonical NOT stands before a comparison, and is one term with it.
    case .constant, .comparison, .not: return self
    }
  }

  /// The alternative of which more holds than of any other; `nil`: there is none.
  private static func nearest(
    of alternatives: [Self],
    to record: Record,
    _ answers: ComparisonAnswers
  ) -> Self? {
    var (best, bestShare, isShared) = (nil as Self?, 0.0, false)
    for alternative in alternatives {
      guard case .and(let operands) = alternative else { continue }
      let share =
        Double(operands.count { $0.matches(record, knowing: answers) }) / Double(operands.count)
      if share > bestShare {
        (best, bestShare, isShared) = (alternative, share, false)
      } else if share == bestShare {
        isShared = true
      }
    }
    return isShared ? nil : best
  }
}

extension Predicate.Failure {
  fileprivate init(_ part: Predicate.Node, _ record: Record) {
    let term = part.text
    let (comparison, isNegated) =
      switch part {
      case .comparison(let comparison): (comparison as Predicate.Comparison?, false)
      case .not(.comparison(let comparison)): (comparison, true)
      default: (nil, false)
      }
    guard let comparison else {
      let reason =
        if case .or(let alternatives) = part {
          "none of its \(alternatives.count) alternatives holds"
        } else {
          "no record matches it"
        }
      self.init(
        term: term,
        expectedValue: "",
        actualValue: "",
        message: "\(Self.shown(term)) is false: \(reason)"
      )
      return
    }
    let actual = comparison.actualText(in: record)
    let reason =
      if actual.isEmpty {
        "the record's texts \(isNegated ? "have" : "do not have") the words"
      } else {
        actual == Self.absent ? "the record has no \(comparison.field)" : "the record has \(actual)"
      }
    self.init(
      term: term,
      expectedValue: comparison.expectedText(isNegated: isNegated),
      actualValue: actual,
      message: "\(Self.shown(term)) is false: \(reason)"
    )
  }

  fileprivate static let absent = "absent"

  /// The begin of a text that may be long.
  fileprivate static func shown(_ text: String) -> String {
    guard text.utf8.count > shownCharactersMax, text.count > shownCharactersMax else { return text }
    return text.prefix(shownCharactersMax) + "…"
  }
}

extension Predicate.Comparison {
  /// The one value that this asks for.
  fileprivate func expectedText(isNegated: Bool) -> String {
    guard values.count == 1 else { return "" }
    let value = Predicate.Failure.shown(values[0].predicateText)
    guard isNegated else { return value }
    return self.operator == .equal ? "not \(value)" : "not \(self.operator.symbol) \(value)"
  }

  /// What a record has in the field; empty: all its texts are looked at.
  fileprivate func actualText(in record: Record) -> String {
    if isFullText { return "" }
    guard let value = record.predicateValue(field) else { return Predicate.Failure.absent }
    return Predicate.Failure.shown(value.literals)
  }
}

extension FieldValue {
  /// This value, or the first members of a list, as literals.
  fileprivate var literals: String {
    switch self {
    case .string(let text) where text.utf8.count > Predicate.Failure.shownCharactersMax * 4:
      // What is cut off later need not be written first.
      return FieldValue.string(String(text.prefix(Predicate.Failure.shownCharactersMax)))
        .predicateText
    case .bytes(let bytes):
      return FieldValue.bytes(Array(bytes.prefix(Predicate.Failure.shownCharactersMax)))
        .predicateText
    default: break
    }
    guard let members else { return predicateText }
    var texts: [String] = []
    var count = 0
    for member in members {
      texts.append(member.literals)
      count += texts[texts.count - 1].count
      if count > Predicate.Failure.shownCharactersMax { break }
    }
    return "{" + texts.joined(separator: ", ") + "}"
  }
}
