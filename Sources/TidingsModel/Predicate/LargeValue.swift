/// A large value of a record, and what comparisons found of it.
package final class LargeValue {
  /// The bytes of a value.
  struct Key: Hashable {
    let value: FieldValue

    static func == (a: Self, b: Self) -> Bool { a.value.isIdentical(to: b.value) }

    func hash(into hasher: inout Hasher) {
      switch value {
      case .string(let text): text.hashBytes(into: &hasher)
      case .stringList(let texts):
        hasher.combine(texts.count)
        for text in texts { text.hashBytes(into: &hasher) }
      default: hasher.combine(value)
      }
    }
  }

  /// A member of a list, or what it is compared with.
  private struct Meaning: Hashable {
    let value: FieldValue

    static func == (a: Self, b: Self) -> Bool { a.value.means(b.value) }
    func hash(into hasher: inout Hasher) { value.hashMeaning(into: &hasher) }
  }

  private struct Question: Hashable {
    let comparison: Predicate.Comparison

    static func == (a: Self, b: Self) -> Bool { Predicate.order(a.comparison, b.comparison) == 0 }

    func hash(into hasher: inout Hasher) {
      hasher.combine(comparison.operator)
      hasher.combine(comparison.modifier)
      hasher.combine(comparison.isCaseInsensitive)
      for value in comparison.values { value.hashMeaning(into: &hasher) }
    }
  }

  /// As it is, and in lowercase.
  private struct Pair<Found> {
    var plain: Found?
    var folded: Found?

    subscript(isFolded: Bool) -> Found? {
      get { isFolded ? folded : plain }
      set { if isFolded { folded = newValue } else { plain = newValue } }
    }
  }

  let value: FieldValue
  /// The evaluation that met it last.
  var pass = 0
  private let bytes: Int
  private var lowercase: FieldValue?
  private var words = Pair<[String]>()
  private var members = Pair<Set<Meaning>>()
  private var answers: [Question: Bool] = [:]

  // What a byte costs: measured in a release build, one step is about a nanosecond.
  private static let stepsPerFoldedByte = 4
  private static let stepsPerWordByte = 8
  private static let stepsPerMemberByte = 4
  private static let stepsPerComparedByte = 2
  /// Of anything that is known: of a lookup, a comparison of beginnings.
  private static let stepsAtLeast = 64

  init(_ value: FieldValue) {
    self.value = value
    bytes = value.searchedBytes
  }

  // MARK: What is found once

  /// The value in lowercase; `nil`: there are not steps enough.
  package func folded(_ memory: EvaluationMemory) -> FieldValue? {
    if let lowercase { return lowercase }
    guard memory.take(bytes * Self.stepsPerFoldedByte) else {
      memory.note(.folded(self))
      return nil
    }
    lowercase = value.foldedCase
    return lowercase
  }

  /// The words of a text, sorted by their bytes, each once; `nil`: there are not steps enough.
  package func words(isFolded: Bool = false, _ memory: EvaluationMemory) -> [String]? {
    if let known = words[isFolded] { return known }
    guard let own = isFolded ? folded(memory) : value else { return nil }
    guard case .string(let text) = own else { return [] }
    guard memory.take(bytes * Self.stepsPerWordByte) else {
      memory.note(.words(self))
      return nil
    }
    let found = Tokenizer.tokens(of: text)
    words[isFolded] = found
    return found
  }

  private func members(isFolded: Bool, _ memory: EvaluationMemory) -> Set<Meaning>? {
    if let known = members[isFolded] { return known }
    guard let own = isFolded ? folded(memory) : value,
      memory.take(bytes * Self.stepsPerMemberByte)
    else { return nil }
    var found: Set<Meaning> = []
    if let members = own.members {
      found.reserveCapacity(value.memberCount)
      for member in members { found.insert(Meaning(value: member)) }
    }
    members[isFolded] = found
    return found
  }

  // MARK: Comparisons

  /// Whether the value satisfies a canonical comparison; `nil`: that takes more steps than are left, and
  /// is noted.
  func satisfies(_ comparison: Predicate.Comparison, _ memory: EvaluationMemory) -> Bool? {
    let answer = answer(to: comparison, memory)
    if answer == nil { memory.note(.comparison(self, comparison)) }
    return answer
  }

  private func answer(to comparison: Predicate.Comparison, _ memory: EvaluationMemory) -> Bool? {
    let isFolded = comparison.isCaseInsensitive
    // What is known is never refused: else an evaluation of many comparisons would not come to its end.
    memory.charge(Self.stepsAtLeast)
    switch (comparison.modifier, comparison.operator) {
    case (.none, .contains), (.any, .equal), (.any, .in):
      if case .string = value {
        return comparison.modifier == .none ? hasWords(of: comparison, memory) : false
      }
      guard let members = members(isFolded: isFolded, memory) else { return nil }
      return comparison.values.contains { members.contains(Meaning(value: $0)) }
    case (.none, .containsAnyTokens), (.none, .containsAllTokens):
      guard case .string = value else { return false }
      return hasWords(of: comparison, memory)
    case (.none, .like), (.any, _), (.all, _): return searched(for: comparison, memory)
    // Compares at most as many bytes as the comparison has.
    default:
      guard let own = isFolded ? folded(memory) : value else { return nil }
      return comparison.matchesExactly(own)
    }
  }

  private func hasWords(
    of comparison: Predicate.Comparison,
    _ memory: EvaluationMemory
  ) -> Bool? {
    guard case .string(let wanted) = comparison.values[0] else { return false }
    guard let words = words(isFolded: comparison.isCaseInsensitive, memory) else { return nil }
    var search = WordSearch(
      comparison.operator == .contains
        ? Tokenizer.tokens(of: wanted).joined(separator: " ") : wanted,
      all: comparison.operator == .containsAllTokens
    )
    return search.find(among: words)
  }

  /// What is found by looking through all of the value.
  private func searched(
    for comparison: Predicate.Comparison,
    _ memory: EvaluationMemory
  ) -> Bool? {
    let question = Question(comparison: comparison)
    if let known = answers[question] { return known }
    guard let own = comparison.isCaseInsensitive ? folded(memory) : value,
      memory.take(bytes * Self.stepsPerComparedByte)
    else { return nil }
    let answer =
      switch comparison.modifier {
      case .none: comparison.matchesExactly(own)
      case .any: own.members?.contains(where: comparison.matchesExactly) ?? false
      case .all: own.members?.allSatisfy(comparison.matchesExactly) ?? false
      }
    answers[question] = answer
    return answer
  }
}
