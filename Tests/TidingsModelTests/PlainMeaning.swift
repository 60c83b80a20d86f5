import TidingsModel

/// The meaning of a tree that is not canonical, written as plainly as can be.
enum PlainMeaning {
  static func matches(_ node: Predicate.Node, _ record: Record) -> Bool {
    switch node {
    case .constant(let value): value
    case .not(let operand): !matches(operand, record)
    case .and(let operands): operands.reduce(true) { $0 && matches($1, record) }
    case .or(let operands): operands.reduce(false) { $0 || matches($1, record) }
    case .comparison(let comparison): matches(comparison, record)
    }
  }

  private static func matches(_ comparison: Predicate.Comparison, _ record: Record) -> Bool {
    var comparison = comparison
    if comparison.field == "self" {
      let texts = record.fields.sorted.compactMap { field -> String? in
        if case .string(let text) = field.value { text } else { nil }
      }
      return hasWords(texts, comparison)
    }
    let value = self.value(&comparison, record)
    switch (comparison.modifier, comparison.operator) {
    case (.none, .notEqual):
      comparison.operator = .equal
      return !(value.map { holds($0, comparison) } ?? false)
    case (.none, _), (.any, .contains):
      return value.map { holds($0, comparison) } ?? false
    case (.any, .equal), (.any, .in),
      (.any, .like) where isPlainText(comparison):
      // Membership, which in a text asks for words.
      if case .string? = value {
        return comparison.values.contains { wanted in
          var one = comparison
          one.operator = .contains
          one.values = [unescaped(wanted, comparison.operator)]
          return value.map { holds($0, one) } ?? false
        }
      }
      fallthrough
    default:
      guard let value, let members = members(value) else { return false }
      let results = members.map { holds($0, comparison) }
      return comparison.modifier == .any ? results.contains(true) : !results.contains(false)
    }
  }

  private static func isPlainText(_ comparison: Predicate.Comparison) -> Bool {
    guard comparison.operator == .like, case .string(let pattern) = comparison.values[0] else {
      return true
    }
    var rest = pattern[...]
    while let first = rest.popFirst() {
      if first == "\\" { _ = rest.popFirst() } else if first == "*" || first == "?" { return false }
    }
    return true
  }

  /// A pattern without wildcards as the text it means.
  private static func unescaped(
    _ value: FieldValue,
    _ symbol: Predicate.Comparison.Operator
  ) -> FieldValue {
    guard symbol == .like, case .string(let pattern) = value else { return value }
    return .string(pattern.replacing(#/\\(.)/#) { $0.output.1 })
  }

  /// The value of the field; the values of the comparison are brought to its type.
  private static func value(
    _ comparison: inout Predicate.Comparison,
    _ record: Record
  ) -> FieldValue? {
    func user(_ modification: Record.ModificationInfo?) -> FieldValue? {
      modification.map { .reference(Reference(recordID: RecordID(recordName: $0.caller.user))) }
    }
    switch comparison.field {
    case "recordName", "recordID", "___recordID":
      if case .reference = comparison.values[0] {
        return .reference(Reference(recordID: record.recordID))
      }
      let isID = comparison.values.contains { if case .reference = $0 { true } else { false } }
      if isID { return .reference(Reference(recordID: record.recordID)) }
      return .string(record.recordID.recordName)
    case "creatorUserRecordID", "___createdBy", "lastModifiedUserRecordID", "___modifiedBy":
      comparison.values = comparison.values.map {
        guard case .string(let name) = $0 else { return $0 }
        return .reference(Reference(recordID: RecordID(recordName: name)))
      }
      return user(comparison.field.contains("reat") ? record.created : record.modified)
    case "creationDate", "___createTime": return record.created.map { .timestamp($0.timestamp) }
    case "modificationDate", "___modTime": return record.modified.map { .timestamp($0.timestamp) }
    case "recordChangeTag", "___etag":
      return record.changeTag == "" ? nil : .string(record.changeTag)
    case "parent", "___parent": return record.parent.map { .reference($0) }
    default: return record.fields[comparison.field]
    }
  }

  private static func holds(_ value: FieldValue, _ comparison: Predicate.Comparison) -> Bool {
    var value = value
    var wanted = comparison.values
    if comparison.isCaseInsensitive {
      value = lowercase(value)
      wanted = wanted.map(lowercase)
    }
    let orders = wanted.map { order(value, $0) }
    switch comparison.operator {
    case .equal, .in: return orders.contains(0)
    case .notEqual: return orders[0] != 0
    case .lessThan: return orders[0].map { $0 < 0 } ?? false
    case .lessThanOrEqual: return orders[0].map { $0 <= 0 } ?? false
    case .greaterThan: return orders[0].map { $0 > 0 } ?? false
    case .greaterThanOrEqual: return orders[0].map { $0 >= 0 } ?? false
    case .between:
      return (orders[0].map { $0 >= 0 } ?? false) && (orders[1].map { $0 <= 0 } ?? false)
    case .beginsWith, .endsWith, .like:
      guard case .string(let text) = value, case .string(let part) = wanted[0] else { return false }
      switch comparison.operator {
      case .beginsWith: return text.utf8.starts(with: part.utf8)
      case .endsWith: return text.utf8.reversed().starts(with: part.utf8.reversed())
      default: return isLike(text.unicodeScalars[...], part.unicodeScalars[...])
      }
    case .contains:
      if case .string(let text) = value { return hasWords([text], comparison) }
      return members(value)?.contains { order($0, wanted[0]) == 0 } ?? false
    case .containsAnyTokens, .containsAllTokens:
      guard case .string(let text) = value else { return false }
      return hasWords([text], comparison)
    case .near:
      guard case .location(let a) = value, case .location(let b) = wanted[0],
        let metres = number(wanted[1])
      else { return false }
      return PlainDistance.metres(a, b) < Double(metres)
    }
  }

  private static func isLike(
    _ text: Substring.UnicodeScalarView,
    _ pattern: Substring.UnicodeScalarView
  ) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    switch first {
    case "*":
      return isLike(text, rest) || (!text.isEmpty && isLike(text.dropFirst(), pattern))
    case "?": return !text.isEmpty && isLike(text.dropFirst(), rest)
    case "\\": return text.first == rest.first && isLike(text.dropFirst(), rest.dropFirst())
    default: return text.first == first && isLike(text.dropFirst(), rest)
    }
  }

  private static func hasWords(_ texts: [String], _ comparison: Predicate.Comparison) -> Bool {
    guard case .string(let text) = comparison.values[0] else { return false }
    let wanted = PlainWords.words(text)
    if wanted.isEmpty { return false }
    let found = Set(texts.flatMap { PlainWords.words($0) })
    if comparison.operator == .containsAllTokens { return wanted.isSubset(of: found) }
    return !wanted.isDisjoint(with: found)
  }

  private static func lowercase(_ value: FieldValue) -> FieldValue {
    switch value {
    case .string(let text): .string(text.lowercased())
    case .stringList(let texts): .stringList(texts.map { $0.lowercased() })
    default: value
    }
  }

  private static func members(_ value: FieldValue) -> [FieldValue]? {
    switch value {
    case .stringList(let list): list.map { .string($0) }
    case .int64List(let list): list.map { .int64($0) }
    case .doubleList(let list): list.map { .double($0) }
    case .bytesList(let list): list.map { .bytes($0) }
    case .timestampList(let list): list.map { .timestamp($0) }
    case .locationList(let list): list.map { .location($0) }
    case .referenceList(let list): list.map { .reference($0) }
    case .unknownList: []
    default: nil
    }
  }

  private static func number(_ value: FieldValue) -> Float80? {
    switch value {
    case .int64(let value): Float80(value)
    case .double(let value): Float80(value)
    default: nil
    }
  }

  private static func order(_ a: FieldValue, _ b: FieldValue) -> Int? {
    func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : (a == b ? 0 : 1) }
    func order(_ a: [UInt8], _ b: [UInt8]) -> Int {
      a == b ? 0 : (a.lexicographicallyPrecedes(b) ? -1 : 1)
    }
    if let a = number(a), let b = number(b) { return order(a, b) }
    switch (a, b) {
    case (.string(let a), .string(let b)): return order(Array(a.utf8), Array(b.utf8))
    case (.bytes(let a), .bytes(let b)): return order(a, b)
    case (.timestamp(let a), .timestamp(let b)): return order(a, b)
    case (.location(let a), .location(let b)):
      return a.latitude == b.latitude && a.longitude == b.longitude ? 0 : nil
    case (.reference(let a), .reference(let b)): return a.recordID == b.recordID ? 0 : nil
    default: return nil
    }
  }
}
