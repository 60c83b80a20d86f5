internal import TidingsModel

/// How a channel is found: by which terms, and what must hold besides.
struct AccessPlan {
  /// Any one of them leads to the channel; none: no record ever matches.
  var terms: [Term]
  /// What a term leaves open; `nil`: nothing.
  var rest: Predicate.Node?
  /// About how many channels the terms lead to that do not match.
  var cost: Int

  private static let termCountMax = 1_000
  private static let prefixBytesMax = 64
  static let everythingCost = 1 << 60

  /// The plan with the least cost for a canonical node.
  ///
  /// `cost` says about how many other channels a term leads to, as the index is now: of
  /// `owner = …` and `isOpen = 1` in one AND, the one that few channels share is taken.
  static func of(_ node: Predicate.Node, cost: (Term) -> Int) -> Self {
    switch node {
    case .constant(true): Self(terms: [.always], rest: nil, cost: everythingCost)
    case .constant(false): Self(terms: [], rest: nil, cost: 0)
    case .comparison(let comparison): plan(comparison, cost)
    case .not: everything(node)
    case .and(let operands): conjunction(operands, cost)
    case .or(let operands): disjunction(node, operands, cost)
    }
  }

  private static func everything(_ node: Predicate.Node) -> Self {
    Self(terms: [.always], rest: node, cost: everythingCost)
  }

  private static func plan(
    _ comparison: Predicate.Comparison,
    _ cost: (Term) -> Int
  ) -> Self {
    func exact(_ kind: Term.Kind) -> Self {
      let terms = comparison.values.map { Term(field: comparison.field, kind: kind, value: $0) }
      return Self(terms: terms, rest: nil, cost: terms.reduce(0) { $0 + cost($1) })
    }
    guard comparison.modifier == .none else { return everything(.comparison(comparison)) }
    if comparison.isCaseInsensitive {
      switch comparison.operator {
      case .equal, .in: return exact(.foldedEqual)
      case .beginsWith: return prefix(comparison, .foldedPrefix, cost)
      case .like: return pattern(comparison, .foldedPrefix, cost)
      default: return everything(.comparison(comparison))
      }
    }
    switch comparison.operator {
    case .equal, .in: return exact(.equal)
    case .contains:
      var membership = exact(.member)
      // The field may also be a text.
      let words = words(comparison)
      membership.terms += words
      membership.cost += words.reduce(0) { $0 + cost($1) }
      return membership
    case .containsAnyTokens:
      let terms = words(comparison)
      return Self(terms: terms, rest: nil, cost: terms.reduce(0) { $0 + cost($1) })
    case .containsAllTokens:
      guard let rarest = words(comparison).min(by: { cost($0) < cost($1) }) else {
        return everything(.comparison(comparison))
      }
      return Self(terms: [rarest], rest: .comparison(comparison), cost: cost(rarest))
    case .endsWith, .notEqual: return everything(.comparison(comparison))
    case .like: return pattern(comparison, .prefix, cost)
    case .near: return circle(comparison, cost)
    case .beginsWith: return prefix(comparison, .prefix, cost)
    case .greaterThan: return exact(.greaterThan)
    case .greaterThanOrEqual: return exact(.greaterThanOrEqual)
    case .lessThan: return exact(.lessThan)
    case .lessThanOrEqual: return exact(.lessThanOrEqual)
    case .between:
      let (low, high) = (comparison.values[0], comparison.values[1])
      let terms =
        Grid.terms(field: comparison.field, from: low, to: high)
        ?? [Term(field: comparison.field, kind: .greaterThanOrEqual, value: low)]
      return Self(
        terms: terms,
        rest: .comparison(comparison),
        cost: terms.reduce(0) { $0 + cost($1) }
      )
    }
  }

  private static func words(_ comparison: Predicate.Comparison) -> [Term] {
    guard case .string(let text) = comparison.values[0] else { return [] }
    return Tokenizer.tokens(of: text).map {
      Term(field: comparison.field, kind: .word, value: .string($0))
    }
  }

  /// By the first bytes only when there are many, so that a value looks up few lengths.
  private static func prefix(
    _ comparison: Predicate.Comparison,
    _ kind: Term.Kind,
    _ cost: (Term) -> Int
  ) -> Self {
    guard case .string(let prefix) = comparison.values[0] else {
      return everything(.comparison(comparison))
    }
    let term = Term(
      field: comparison.field,
      kind: kind,
      value: .string(prefix.head(bytesMax: prefixBytesMax))
    )
    return Self(
      terms: [term],
      rest: prefix.utf8.count > prefixBytesMax ? .comparison(comparison) : nil,
      cost: cost(term)
    )
  }

  /// By what stands before the first wildcard.
  private static func pattern(
    _ comparison: Predicate.Comparison,
    _ kind: Term.Kind,
    _ cost: (Term) -> Int
  ) -> Self {
    guard case .string(let pattern) = comparison.values[0] else {
      return everything(.comparison(comparison))
    }
    let fixed = LikePattern.fixedHead(of: pattern).head(bytesMax: prefixBytesMax)
    if fixed.isEmpty { return everything(.comparison(comparison)) }
    let term = Term(field: comparison.field, kind: kind, value: .string(fixed))
    return Self(terms: [term], rest: .comparison(comparison), cost: cost(term))
  }

  private static func circle(
    _ comparison: Predicate.Comparison,
    _ cost: (Term) -> Int
  ) -> Self {
    guard case .location(let centre) = comparison.values[0],
      let metres = comparison.values[1].metres,
      let terms = Globe.terms(field: comparison.field, around: centre, metres: metres)
    else { return everything(.comparison(comparison)) }
    return Self(
      terms: terms,
      rest: .comparison(comparison),
      cost: terms.reduce(0) { $0 + cost($1) }
    )
  }

  private static func conjunction(_ operands: [Predicate.Node], _ cost: (Term) -> Int) -> Self {
    let plans = operands.map { of($0, cost: cost) }
    guard let best = plans.indices.min(by: { plans[$0].cost < plans[$1].cost }) else {
      return Self(terms: [.always], rest: nil, cost: everythingCost)
    }
    var rest = operands
    if let open = plans[best].rest { rest[best] = open } else { rest.remove(at: best) }
    var plan = plans[best]
    plan.rest = rest.count == 1 ? rest[0] : .and(rest)
    return plan
  }

  private static func disjunction(
    _ node: Predicate.Node,
    _ operands: [Predicate.Node],
    _ cost: (Term) -> Int
  ) -> Self {
    var plan = Self(terms: [], rest: nil, cost: 0)
    for operand in operands {
      let part = of(operand, cost: cost)
      // One alternative that may be any record makes the terms of the others useless.
      guard part.cost < everythingCost, plan.terms.count + part.terms.count <= termCountMax else {
        return everything(node)
      }
      plan.terms += part.terms
      plan.cost += part.cost
      if part.rest != nil { plan.rest = node }
    }
    return plan
  }
}
