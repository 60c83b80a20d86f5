internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsCodec
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf

@Suite("Predicates of the contract") struct PredicateMappingTests {
  @Test("random trees come to the same predicate over the wire, as nodes and as text")
  func randomTrees() throws {
    let seed = Seed.make("PredicateMapping")
    var source = RandomPredicates(seed: seed)
    for round in 0..<1_000 {
      let root = source.node(depth: 3)
      let predicate = try Predicate(root: root)
      let message = TidingsV1.Predicate(nodes: nodes(root))
      let received = try TidingsV1.Predicate(decoding: message.encoded())
      #expect(
        try received.model("p", isStored: false) == predicate,
        "seed \(seed), round \(round): \(predicate) of \(root)"
      )
      let text = TidingsV1.Predicate(text: predicate.text)
      #expect(try text.model("p", isStored: false) == predicate, "seed \(seed), round \(round)")
      #expect(try text.model("p", isStored: true) == predicate, "seed \(seed), round \(round)")
    }
  }

  @Test("an unknown modifier or operator is refused by the field's name")
  func unknown() throws {
    var comparison = TidingsV1.PredicateComparison(
      fieldName: "a",
      operator: .equal,
      values: [.init(.int64Value(1))]
    )
    comparison.modifier = .init(rawValue: 9)
    expectRefusal(of: comparison, "'a' has the unknown modifier")
    comparison.modifier = .unspecified
    comparison.operator = .init(rawValue: 99)
    expectRefusal(of: comparison, "'a' has the unknown operator")
    comparison.operator = .lessThan
    comparison.caseInsensitive = true
    expectRefusal(of: comparison, "[c] cannot follow <")
  }

  private func expectRefusal(of comparison: TidingsV1.PredicateComparison, _ part: String) {
    let predicate = TidingsV1.Predicate(nodes: [.init(node: .comparison(comparison))])
    let error = #expect(throws: ItemError.self) { try predicate.model("p", isStored: false) }
    #expect(error?.message.contains(part) == true, "\(String(describing: error))")
  }

  private func nodes(_ node: Predicate.Node) -> [TidingsV1.PredicateNode] {
    switch node {
    case .constant(let value): [.init(node: .constant(value))]
    case .comparison(let comparison): [.init(node: .comparison(message(comparison)))]
    case .not(let operand): nodes(operand) + [.init(node: .not(true))]
    case .and(let operands):
      operands.flatMap(nodes) + [.init(node: .andCount(UInt32(operands.count)))]
    case .or(let operands):
      operands.flatMap(nodes) + [.init(node: .orCount(UInt32(operands.count)))]
    }
  }

  private func message(_ comparison: Predicate.Comparison) -> TidingsV1.PredicateComparison {
    let arena = Arena()
    var message = TidingsV1.PredicateComparison(
      fieldName: comparison.field,
      operator: symbol(comparison.operator),
      values: comparison.values.map { TidingsV1.FieldValue($0, in: arena) }
    )
    message.caseInsensitive = comparison.isCaseInsensitive
    message.modifier =
      switch comparison.modifier {
      case .none: .unspecified
      case .any: .any
      case .all: .all
      }
    return message
  }

  private func symbol(
    _ operator: Predicate.Comparison.Operator
  ) -> TidingsV1.PredicateOperator {
    switch `operator` {
    case .equal: .equal
    case .notEqual: .notEqual
    case .lessThan: .lessThan
    case .lessThanOrEqual: .lessThanOrEqual
    case .greaterThan: .greaterThan
    case .greaterThanOrEqual: .greaterThanOrEqual
    case .between: .between
    case .in: .in
    case .beginsWith: .beginsWith
    case .contains: .contains
    case .endsWith: .endsWith
    case .like: .like
    case .containsAnyTokens: .containsAnyTokens
    case .containsAllTokens: .containsAllTokens
    case .near: .near
    }
  }
}
