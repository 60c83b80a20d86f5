// What a comparison must be to have a meaning, for text and for trees alike.
extension Predicate.Comparison {
  /// What is wrong with this comparison, in words; `nil`: nothing.
  var problem: String? {
    Identifier.problem(inFieldName: field) ?? countProblem ?? values.lazy.compactMap(problem).first
      ?? boundsProblem
  }

  private var countProblem: String? {
    switch self.operator {
    case .between:
      guard values.count != 2 else { return nil }
      return "BETWEEN takes 2 values, found \(values.count)"
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

  private func problem(with value: FieldValue) -> String? {
    guard let valueClass = value.meaningClass else {
      let hint = value.isList ? "; CONTAINS asks for one member, IN takes several values" : ""
      return "\(self.operator.symbol) takes no value of type \(value.kind.rawValue)\(hint)"
    }
    if self.operator == .beginsWith, valueClass != .string {
      return "BEGINSWITH takes a string, found \(value.kind.rawValue)"
    }
    if self.operator.isOrder, valueClass == .location || valueClass == .reference {
      return "\(self.operator.symbol) takes a string, number, timestamp or bytes, "
        + "found \(value.kind.rawValue)"
    }
    return value.problem
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
    case .equal, .in, .beginsWith, .contains: false
    }
  }

  /// How this operator is written.
  var symbol: String {
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
    }
  }

  /// The operator that means the same with the operands exchanged; `nil`: there is none.
  var flipped: Self? {
    switch self {
    case .equal: .equal
    case .lessThan: .greaterThan
    case .lessThanOrEqual: .greaterThanOrEqual
    case .greaterThan: .lessThan
    case .greaterThanOrEqual: .lessThanOrEqual
    case .between, .in, .beginsWith, .contains: nil
    }
  }
}
