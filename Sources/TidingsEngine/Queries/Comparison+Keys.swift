internal import TidingsModel

// What an index can find of a comparison.
extension Predicate.Comparison {
  /// The keys whose entries are just the records that satisfy this plain comparison.
  ///
  /// - Parameter fieldKind: The type of the field: CONTAINS looks for members of a list, and for words
  ///   of a text.
  /// - Returns: The keys and the kind of index that has them; `nil` when it does not look for values.
  func valueKeys(in fieldKind: FieldValue.Kind?) -> (keys: [IndexKey], kind: IndexKind)? {
    switch self.operator {
    case .equal, .in: return (values.compactMap { IndexKey($0) }, .ordered)
    case .contains:
      guard let fieldKind else { return nil }
      guard fieldKind == .string else {
        return (values.compactMap { IndexKey($0, asMember: true) }, .ordered)
      }
      guard case .string(let text) = values[0] else { return nil }
      return (Tokenizer.tokens(of: text).map { IndexKey(word: $0) }, .words)
    default: return nil
    }
  }

  /// The words of a canonical search for words.
  var words: [String] {
    guard case .string(let text)? = values.first else { return [] }
    // As characters, a space and a mark with which the next word begins would be one.
    return text.unicodeScalars.split(separator: " ").map { String($0) }
  }

  /// The names of the records that it asks for, those that there can be, in their order; `nil` when it does not.
  var recordNames: [String]? {
    guard [.equal, .in].contains(self.operator) else { return nil }
    let names: [String] = values.compactMap { value in
      switch (SystemField(name: field), value) {
      case (.recordName, .string(let name)): name
      case (.recordID, .reference(let reference)): reference.recordID.recordName
      default: nil
      }
    }
    guard names.count == values.count else { return nil }
    var unique: [String] = []
    let possible = names.filter(\.isPossibleName)
    for name in possible.sorted() where name != unique.last { unique.append(name) }
    return unique
  }

  /// The keys of the scalars that satisfy a comparison of order; exact when all of them do.
  var keyRange: (range: KeyRange, isExact: Bool)? {
    guard let first = IndexKey(values[0]) else { return nil }
    let all = KeyRange(lower: first.classPrefix, upper: first.classPrefix.afterPrefix)
    // Behind a key that was cut may be what has the same key.
    let behind = first.isExact ? first.successor : first
    switch self.operator {
    case .lessThan:
      let upper = first.isExact ? first : first.successor
      return (KeyRange(lower: all.lower, upper: upper), first.isExact)
    case .lessThanOrEqual:
      return (KeyRange(lower: all.lower, upper: first.successor), first.isExact)
    case .greaterThan: return (KeyRange(lower: behind, upper: all.upper), first.isExact)
    case .greaterThanOrEqual: return (KeyRange(lower: first, upper: all.upper), first.isExact)
    case .between:
      guard let last = IndexKey(values[1]) else { return nil }
      return (KeyRange(lower: first, upper: last.successor), first.isExact && last.isExact)
    case .beginsWith: return (KeyRange(lower: first, upper: first.afterPrefix), first.isExact)
    case .like:
      guard case .string(let pattern) = values[0],
        case let fixed = LikePattern.fixedHead(of: pattern), !fixed.isEmpty,
        let head = IndexKey(.string(fixed))
      else { return nil }
      return (KeyRange(lower: head, upper: head.afterPrefix), false)
    default: return nil
    }
  }
}

extension Predicate.Node {
  /// In the text form.
  var shownText: String { (try? Predicate(root: self).text) ?? "a part of the predicate" }
}
