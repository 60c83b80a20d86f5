// What a comparison must be to have a meaning, for text and for trees alike.
extension Predicate.Comparison {
  /// What is wrong with this comparison, in words; `nil`: nothing.
  var problem: String? {
    if let problem = Self.problem(inFieldName: field) ?? countProblem { return problem }
    let resolved = resolved
    return resolved.shapeProblem ?? resolved.values.lazy.compactMap(resolved.problem).first
      ?? resolved.boundsProblem
  }

  /// What is wrong with a name, of a field or of a system field; `nil`: nothing.
  static func problem(inFieldName name: String) -> String? {
    if SystemField(name: name) != nil || name == fullTextField { return nil }
    if SystemField.otherReservedNames.contains(name) {
      return name == "recordType"
        ? "recordType cannot be compared; a query or a subscription names its record type"
        : "\(name) cannot be compared"
    }
    return Identifier.problem(inFieldName: name)
  }

  /// What is wrong with the number of values, in words; `nil`: nothing.
  var countProblem: String? {
    switch self.operator {
    case .between, .near:
      guard values.count != 2 else { return nil }
      return "\(self.operator.symbol) takes 2 values, found \(values.count)"
    case .in:
      if values.isEmpty { return "IN takes at least 1 value, found none" }
      let valueCountMax = PredicateLimits.inValueCountMax
      guard values.count > valueCountMax else { return nil }
      return "IN takes at most \(valueCountMax) values, found \(values.count); "
        + "join several INs with OR"
    default:
      guard values.count != 1 else { return nil }
      return "\(self.operator.symbol) takes 1 value, found \(values.count)"
    }
  }

  private var shapeProblem: String? {
    if isFullText, modifier != .none || !self.operator.isMembership {
      return "self takes CONTAINS, CONTAINS ANY and CONTAINS ALL with words to search for; "
        + "name a field for other comparisons"
    }
    if isCaseInsensitive, self.operator.isOrder || self.operator == .near {
      return "[c] cannot follow \(self.operator.symbol); it may follow = != IN BEGINSWITH ENDSWITH "
        + "LIKE CONTAINS"
    }
    if field == SystemField.recordID.name,
      values.contains(where: { $0.meaningClass != .reference })
    {
      return "recordID takes strings (names of records) or references, not both"
    }
    return nil
  }

  private func problem(with value: FieldValue) -> String? {
    let found = value.kind.rawValue
    guard let valueClass = value.meaningClass else {
      let hint = value.isList ? "; CONTAINS asks for one member, IN takes several values" : ""
      return "\(self.operator.symbol) takes no value of type \(found)\(hint)"
    }
    if self.operator == .near { return nearProblem ?? value.problem }
    if isString, valueClass != .string {
      return
        "\(self.operator.symbol)\(isCaseInsensitive ? "[c]" : "") takes a string, found \(found)"
    }
    if self.operator.isOrder, valueClass == .location || valueClass == .reference {
      return "\(self.operator.symbol) takes a string, number, timestamp or bytes, "
        + "found \(found)"
    }
    if case .string(let text) = value, let problem = textProblem(text) { return problem }
    return value.problem
  }

  /// Whether only a string has a meaning here.
  private var isString: Bool {
    switch self.operator {
    case .beginsWith, .endsWith, .like, .containsAnyTokens, .containsAllTokens: true
    case .contains: isCaseInsensitive || isFullText || modifier == .all
    default: isCaseInsensitive
    }
  }

  private func textProblem(_ text: String) -> String? {
    if let system = SystemField(name: field), system.kind == .reference {
      return "\(field) takes a reference, found STRING"
    }
    if self.operator == .like {
      let pattern = isCaseInsensitive ? text.foldedCase : text
      if let problem = LikePattern.problem(in: pattern) { return problem }
    }
    // ANY with an equality is CONTAINS.
    guard self.operator.isMembership || (modifier == .any && !self.operator.isOrder) else {
      return nil
    }
    let countMax = PredicateLimits.tokenCountMax
    // A word takes two bytes at least, with what separates it.
    guard text.utf8.count > countMax * 2 else { return nil }
    let count = Tokenizer.tokens(of: text).count
    guard count > countMax else { return nil }
    return "CONTAINS takes at most \(countMax) words, found \(count); use fewer words"
  }

  private var nearProblem: String? {
    guard values[0].meaningClass == .location, values[1].meaningClass == .number else {
      return "a distance takes a location and a number of metres, found "
        + "\(values[0].kind.rawValue) and \(values[1].kind.rawValue)"
    }
    guard values[1].meaningOrder(.int64(0)) ?? 0 < 0 else { return nil }
    return "a distance cannot be negative; it is in metres"
  }

  private var boundsProblem: String? {
    guard self.operator == .between, values[0].meaningClass != values[1].meaningClass else {
      return nil
    }
    return "BETWEEN takes 2 values of one type, found \(values[0].kind.rawValue) and "
      + values[1].kind.rawValue
  }
}

extension Predicate.Comparison.Operator {
  /// Whether this operator asks for less and greater.
  var isOrder: Bool {
    switch self {
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .between: true
    default: false
    }
  }

  /// Whether this operator asks for members or words.
  var isMembership: Bool {
    switch self {
    case .contains, .containsAnyTokens, .containsAllTokens: true
    default: false
    }
  }

  /// How this operator is written.
  package var symbol: String {
    switch self {
    case .equal: "="
    case .lessThan: "<"
    case .lessThanOrEqual: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqual: ">="
    case .between: "BETWEEN"
    case .in: "IN"
    case .beginsWith: "BEGINSWITH"
    case .contains: "CONTAINS"
    case .notEqual: "!="
    case .endsWith: "ENDSWITH"
    case .like: "LIKE"
    case .containsAnyTokens: "CONTAINS ANY"
    case .containsAllTokens: "CONTAINS ALL"
    case .near: "distanceToLocation:fromLocation:"
    }
  }

  /// The operator that means the same with the operands exchanged; `nil`: there is none.
  var flipped: Self? {
    switch self {
    case .equal, .notEqual: self
    case .lessThan: .greaterThan
    case .lessThanOrEqual: .greaterThanOrEqual
    case .greaterThan: .lessThan
    case .greaterThanOrEqual: .lessThanOrEqual
    default: nil
    }
  }
}
