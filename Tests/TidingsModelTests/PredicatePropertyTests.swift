import RandomSupport
import Testing
import TidingsModel

@Suite("Predicates, at random")
struct PredicatePropertyTests {
  @Test("the canonical form keeps the meaning", arguments: [1, 2, 3, 4] as [UInt64])
  func canonicalMeaning(seed: UInt64) throws {
    var source = RandomPredicates(seed: seed)
    for round in 0..<3_000 {
      let tree = source.node()
      let predicate = try Predicate(root: tree)
      for _ in 0..<8 {
        let record = source.record()
        let expected = PlainMeaning.matches(tree, record)
        #expect(
          predicate.matches(record) == expected,
          "seed \(seed), round \(round): \(predicate.text) of \(tree) for \(record)"
        )
      }
    }
  }

  @Test("the canonical form is its own canonical form", arguments: [5, 6] as [UInt64])
  func idempotent(seed: UInt64) throws {
    var source = RandomPredicates(seed: seed)
    for round in 0..<5_000 {
      let predicate = try Predicate(root: source.node(depth: 5))
      let again = try Predicate(root: predicate.root)
      #expect(again == predicate, "seed \(seed), round \(round): \(predicate) became \(again)")
    }
  }

  @Test("text and postfix lead back to an equal predicate", arguments: [7, 8] as [UInt64])
  func roundTrip(seed: UInt64) throws {
    var source = RandomPredicates(seed: seed)
    for round in 0..<5_000 {
      let predicate = try Predicate(root: source.node())
      let parsed = try Predicate(text: predicate.text)
      #expect(parsed == predicate, "seed \(seed), round \(round): \(predicate.text)")
      #expect(parsed.canonicalBytes == predicate.canonicalBytes, "seed \(seed), round \(round)")
      #expect(parsed.hashValue == predicate.hashValue, "seed \(seed), round \(round)")
      #expect(
        try Predicate(postfix: predicate.postfix) == predicate,
        "seed \(seed), round \(round)"
      )
    }
  }

  @Test("operands in another order are the same predicate", arguments: [9, 10] as [UInt64])
  func orderDoesNotMatter(seed: UInt64) throws {
    var source = RandomPredicates(seed: seed)
    func shuffled(_ node: Predicate.Node) -> Predicate.Node {
      switch node {
      case .and(let operands): .and(operands.map(shuffled).shuffled(using: &source.random))
      case .or(let operands): .or(operands.map(shuffled).shuffled(using: &source.random))
      case .not(let operand): .not(shuffled(operand))
      default: node
      }
    }
    for round in 0..<5_000 {
      let tree = source.node()
      let (a, b) = (try Predicate(root: tree), try Predicate(root: shuffled(tree)))
      #expect(a.canonicalBytes == b.canonicalBytes, "seed \(seed), round \(round): \(a) and \(b)")
    }
  }

  @Test("no text makes the parser crash", arguments: [11, 12] as [UInt64])
  func mutatedText(seed: UInt64) throws {
    var source = RandomPredicates(seed: seed)
    let pieces = [
      "(", ")", "NOT ", " AND ", "||", "{", "}", "<", ">", "=", "!", "'", "\"", "\\", "\\u{", "%@",
      "%K", "@",
      "@location(", "1e999", "-", ".", "é", "\n", "#", "[cd]", "[c]", " ANY ", "ALL ", "self",
      "distanceToLocation:fromLocation:(", "tokenize:using:(", "now", "SUBQUERY",
      "99999999999999999999",
      "\u{0}", "IN",
    ]
    var accepted = 0
    for round in 0..<10_000 {
      var text = Array(try Predicate(root: source.node(depth: 2)).text.unicodeScalars)
      for _ in 0...source.random.below(4) {
        let position = source.random.below(text.count + 1)
        if Bool.random(using: &source.random) {
          text.insert(contentsOf: source.random.pick(pieces).unicodeScalars, at: position)
        } else if position < text.count {
          text.removeSubrange(position..<min(text.count, position + 1 + source.random.below(4)))
        }
      }
      var mutated = String.UnicodeScalarView()
      mutated.append(contentsOf: text)
      do {
        let predicate = try Predicate(text: String(mutated))
        accepted += 1
        #expect(try Predicate(text: predicate.text) == predicate, "seed \(seed), round \(round)")
      } catch {
        #expect(!error.message.isEmpty, "seed \(seed), round \(round)")
        if let column = error.column { #expect(column >= 1, "seed \(seed), round \(round)") }
      }
    }
    #expect(accepted > 100, "seed \(seed)")
  }
}
