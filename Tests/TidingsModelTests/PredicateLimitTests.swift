import Testing
import TidingsModel

@Suite("Predicate limits")
struct PredicateLimitTests {
  private func repeated(_ text: String, _ count: Int) -> String {
    String(repeating: text, count: count)
  }

  private let comparison = Predicate.Node.comparison(
    Predicate.Comparison(field: "a", operator: .equal, values: [.int64(1)])
  )

  @Test("nesting up to 64 is read, beyond it is refused")
  func nesting() throws {
    for (open, close) in [("(", ")"), ("NOT ", ""), ("!", "")] {
      let deep = repeated(open, 64) + "a = 1" + repeated(close, 64)
      #expect(try Predicate(text: deep).text == "a = 1")
      let error = try #require(throws: PredicateError.self) {
        try Predicate(text: repeated(open, 65) + "a = 1" + repeated(close, 65))
      }
      #expect(error.message.contains("64"), "\(error)")
    }
  }

  @Test("a very long text is refused before it is read")
  func longText() {
    #expect(throws: PredicateError.self) { try Predicate(text: repeated("(", 100_000)) }
    #expect(throws: PredicateError.self) { try Predicate(text: repeated("{", 100_000)) }
    #expect(throws: PredicateError.self) { try Predicate(canonicalText: repeated("(", 60_000)) }
    #expect(throws: PredicateError.self) {
      try Predicate(canonicalText: "a IN " + repeated("{", 60_000))
    }
  }

  @Test("1000 nodes are taken, one more is refused")
  func nodeCount() throws {
    let nodes = (0..<1_000).map { index in
      Predicate.Node.comparison(
        Predicate.Comparison(field: "a\(index)", operator: .equal, values: [.int64(1)])
      )
    }
    let predicate = try Predicate(root: .or(Array(nodes.dropLast())))
    #expect(try Predicate(canonicalText: predicate.text) == predicate)
    #expect(throws: PredicateError.self) { try Predicate(root: .or(nodes)) }
    let text = Array(repeating: "a=1", count: 1_000).joined(separator: "||")
    let error = try #require(throws: PredicateError.self) { try Predicate(text: text) }
    #expect(error.message.contains("1000"), "\(error)")
    #expect(error.column != nil)
  }

  @Test("the widest and deepest trees have a canonical text that reads back")
  func canonicalTextFits() throws {
    var node = comparison
    for level in 0..<63 {
      let other = Predicate.Node.comparison(
        Predicate.Comparison(field: "f\(level)", operator: .lessThan, values: [.int64(1)])
      )
      node = level.isMultiple(of: 2) ? .and([.not(other), node]) : .or([.not(other), node])
    }
    for root in [node, .not(node)] {
      let predicate = try Predicate(root: root)
      #expect(try Predicate(text: predicate.text) == predicate)
      #expect(try Predicate(postfix: predicate.postfix) == predicate)
    }
    #expect(throws: PredicateError.self) { try Predicate(root: .and([.not(node)])) }
  }

  @Test("equalities beyond the size of an IN become several")
  func largeUnion() throws {
    let sets = (0..<3).map { set in
      Predicate.Node.comparison(
        Predicate.Comparison(
          field: "a",
          operator: .in,
          values: (0..<250).map { .int64(Int64($0 * 3 + set)) }
        )
      )
    }
    let predicate = try Predicate(root: .or(sets))
    guard case .or(let parts) = predicate.root else {
      Issue.record("\(predicate)")
      return
    }
    #expect(parts.count == 3)
    #expect(try Predicate(text: predicate.text) == predicate)
  }

  @Test("long arguments are bounded by the canonical text")
  func longArguments() throws {
    let long = String(repeating: "x", count: 20_000)
    let predicate = try Predicate(text: "a = %@", arguments: [.string(long)])
    #expect(throws: PredicateError.self) { try Predicate(text: predicate.text) }
    #expect(try Predicate(canonicalText: predicate.text) == predicate)
    let many = FieldValue.stringList((0..<4).map { long + String($0) })
    let error = try #require(throws: PredicateError.self) {
      try Predicate(text: "a IN %@", arguments: [many])
    }
    #expect(error.message.contains("65536"), "\(error)")
  }

  @Test("postfix that is no tree is refused")
  func badPostfix() throws {
    let one = Predicate.PostfixItem.comparison(
      Predicate.Comparison(field: "a", operator: .equal, values: [.int64(1)])
    )
    let wrong: [[Predicate.PostfixItem]] = [
      [], [one, one], [.not], [one, .and(2)], [one, .and(0)], [one, .or(-1)], [.and(Int.max)],
      [one] + Array(repeating: .not, count: 100_000), [one] + Array(repeating: .and(1), count: 66),
      Array(repeating: one, count: 100_000),
    ]
    for items in wrong {
      #expect(throws: PredicateError.self) { try Predicate(postfix: items) }
    }
    #expect(try Predicate(postfix: [one, one, .or(2), .not]).text == "a != 1")
  }

  @Test("trees without meaning are refused")
  func badTrees() {
    let wrong: [Predicate.Node] = [
      .and([]), .or([]),
      .comparison(.init(field: "", operator: .equal, values: [.int64(1)])),
      .comparison(.init(field: "a", operator: .equal, values: [])),
      .comparison(.init(field: "a", operator: .in, values: [])),
      .comparison(.init(field: "a", operator: .between, values: [.int64(1)])),
      .comparison(.init(field: "a", operator: .lessThan, values: [.double(.nan)])),
      .comparison(.init(field: "a", operator: .contains, values: [.stringList(["x"])])),
    ]
    for root in wrong {
      let error = #expect(throws: PredicateError.self) { try Predicate(root: root) }
      #expect(error?.column == nil)
    }
  }
}
