// The one evaluator: queries, subscriptions and explanations all end here.
extension Predicate {
  /// Whether a record matches.
  ///
  /// A comparison is false when the field is absent or its type is not that of the value; its NOT
  /// is then true. Numbers compare exactly, whether int64 or double. Strings compare by code
  /// points, without normalization, and case-sensitively unless the comparison says otherwise;
  /// bytes by their bytes. References are equal when they name one record, whatever the action;
  /// locations when the coordinates are. The names of `SystemField` name what the server knows.
  public func matches(_ record: Record) -> Bool { root.matches(record) }
}

extension Predicate.Node {
  /// Whether a record matches this canonical node.
  package func matches(_ record: Record) -> Bool {
    switch self {
    case .constant(let value): value
    case .comparison(let comparison): comparison.matches(record)
    case .not(let operand): !operand.matches(record)
    case .and(let operands): operands.allSatisfy { $0.matches(record) }
    case .or(let operands): operands.contains { $0.matches(record) }
    }
  }
}

extension Predicate.Comparison {
  /// Whether a record satisfies this canonical comparison.
  package func matches(_ record: Record) -> Bool {
    if let value = record.predicateValue(field) { return matches(value) }
    return isFullText && matchesWords(ofRecord: record)
  }

  /// Whether a field with this value satisfies this canonical comparison.
  package func matches(_ value: FieldValue) -> Bool {
    switch modifier {
    case .none: matchesOne(value)
    case .any: value.members?.contains(where: matchesOne) ?? false
    case .all: value.members?.allSatisfy(matchesOne) ?? false
    }
  }

  private func matchesOne(_ value: FieldValue) -> Bool {
    matchesExactly(isCaseInsensitive ? value.foldedCase : value)
  }

  /// As `matches(_:)`, of a value that is in lowercase if need be, and no list whose members are compared.
  func matchesExactly(_ value: FieldValue) -> Bool {
    switch self.operator {
    case .between:
      Operator.greaterThanOrEqual.holds(for: value, values[0])
        && Operator.lessThanOrEqual.holds(for: value, values[1])
    case .in: isOneOfSorted(value)
    case .near: value.isNear(values[0], metres: values[1])
    default: self.operator.holds(for: value, values[0])
    }
  }

  /// The words of all texts of the record together.
  private func matchesWords(ofRecord record: Record) -> Bool {
    guard case .string(let words) = values[0] else { return false }
    var search = WordSearch(words, all: self.operator == .containsAllTokens)
    for field in record.fields.sorted {
      if case .string(let text) = field.value, search.find(in: text) { return true }
    }
    return false
  }

  /// The values of a canonical IN are in total order.
  private func isOneOfSorted(_ value: FieldValue) -> Bool {
    guard value.meaningClass != nil else { return false }
    var (low, high) = (0, values.count)
    while low < high {
      let middle = (low + high) / 2
      if Predicate.order(values[middle], value) < 0 { low = middle + 1 } else { high = middle }
    }
    // Equality again: an order between values that are not comparable (NaN) would read as equal.
    return low < values.count && values[low].means(value)
  }
}

extension Predicate.Comparison.Operator {
  /// Whether this operator, which takes one value, holds between a field's value and that one.
  package func holds(for own: FieldValue, _ value: FieldValue) -> Bool {
    switch self {
    case .equal, .in: return own.means(value)
    case .notEqual: return !own.means(value)
    case .contains: return own.hasMember(value) || own.hasWord(of: value)
    case .beginsWith:
      guard case .string(let text) = own, case .string(let prefix) = value else { return false }
      return text.hasBytePrefix(prefix)
    case .endsWith, .like, .containsAnyTokens, .containsAllTokens:
      guard case .string(let text) = own, case .string(let wanted) = value else { return false }
      return holds(forText: text, wanted)
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .between, .near:
      guard let order = own.meaningOrder(value) else { return false }
      return holds(order)
    }
  }

  private func holds(forText text: String, _ wanted: String) -> Bool {
    switch self {
    case .endsWith: return text.hasByteSuffix(wanted)
    case .like: return LikePattern.matches(text, wanted)
    default:
      var search = WordSearch(wanted, all: self == .containsAllTokens)
      return search.find(in: text)
    }
  }

  private func holds(_ order: Int) -> Bool {
    switch self {
    case .lessThan: order < 0
    case .lessThanOrEqual: order <= 0
    case .greaterThan: order > 0
    case .greaterThanOrEqual: order >= 0
    default: order == 0
    }
  }
}

extension FieldValue {
  /// The text or texts in lowercase; other values as they are.
  var foldedCase: FieldValue {
    switch self {
    case .string(let text): .string(text.foldedCase)
    case .stringList(let list): .stringList(list.map(\.foldedCase))
    default: self
    }
  }

  /// Whether this is a text with a word of a string.
  fileprivate func hasWord(of value: FieldValue) -> Bool {
    guard case .string(let text) = self, case .string(let wanted) = value else { return false }
    var search = WordSearch(Tokenizer.tokens(of: wanted).joined(separator: " "), all: false)
    return search.find(in: text)
  }
}

extension String {
  /// The text in lowercase, by Unicode's mapping of each code point.
  package var foldedCase: String {
    // Most texts are that already.
    let isFolded = utf8.allSatisfy { $0 < 0x80 && !($0 >= 0x41 && $0 <= 0x5a) }
    return isFolded ? self : CaseFolding.lowercased(self)
  }
}
