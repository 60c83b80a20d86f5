import RandomSupport
import Testing

@testable import TidingsModel

@Suite("Why a record does not match")
struct PredicateFailureTests {
  private func failure(
    _ text: String,
    _ fields: RecordFields
  ) throws -> (term: String, expected: String, actual: String)? {
    let record = Record(recordID: RecordID(recordName: "r"), recordType: "T", fields: fields)
    return try Predicate(text: text).firstFailure(for: record).map {
      ($0.term, $0.expectedValue, $0.actualValue)
    }
  }

  @Test("the first operand of an AND that is false, with both values")
  func and() throws {
    let text = "price > 100000 AND city = 'Kyiv'"
    #expect(try failure(text, ["price": .int64(100_001), "city": .string("Kyiv")]) == nil)
    let city = try #require(try failure(text, ["price": .int64(5)]))
    #expect(city == (#"city = "Kyiv""#, #""Kyiv""#, "absent"))
    let price = try #require(try failure(text, ["price": .int64(90_000), "city": .string("Kyiv")]))
    #expect(price == ("price > 100000", "100000", "90000"))
  }

  @Test("a value of another type is shown as what it is")
  func types() throws {
    let price = try #require(try failure("price > 100", ["price": .string("500")]))
    #expect(price == ("price > 100", "100", #""500""#))
    let list = try #require(try failure("tags CONTAINS 'a'", ["tags": .stringList(["b", "c"])]))
    #expect(list == (#"tags CONTAINS "a""#, #""a""#, #"{"b", "c"}"#))
  }

  @Test("of an OR the alternative that comes nearest, or all of it")
  func or() throws {
    let text = "(kind = 'flat' AND price > 100) OR (kind = 'house' AND price > 500)"
    let house = try #require(try failure(text, ["kind": .string("house"), "price": .int64(7)]))
    #expect(house == ("price > 500", "500", "7"))
    // Both have half: neither is nearer.
    let both = try #require(try failure("(a = 1 AND b = 1) OR (a = 2 AND b = 2)", ["a": .int64(1)]))
    #expect(both.term == "b = 1")
    let tie = try #require(
      try failure("(a = 1 AND b = 1) OR (a = 2 AND b = 2)", ["a": .int64(1), "b": .int64(2)])
    )
    #expect(tie.term == "a = 1 AND b = 1 OR a = 2 AND b = 2" && tie.expected.isEmpty)
    #expect(try failure("a = 1 OR b = 2", [:])?.term == "a = 1 OR b = 2")
  }

  @Test("a negated term is named with its NOT")
  func negation() throws {
    let equal = try #require(try failure("a != 5", ["a": .int64(5)]))
    #expect(equal == ("a != 5", "not 5", "5"))
    let less = try #require(try failure("NOT a < 5", ["a": .int64(3)]))
    #expect(less == ("NOT a < 5", "not < 5", "3"))
  }

  @Test("what has no one value has none")
  func severalValues() throws {
    let between = try #require(try failure("a BETWEEN {1, 5}", ["a": .int64(7)]))
    #expect(between == ("a BETWEEN {1, 5}", "", "7"))
    let never = try #require(try failure("FALSEPREDICATE", [:]))
    #expect(never == ("FALSEPREDICATE", "", ""))
    let words = try #require(try failure("self CONTAINS 'bob'", ["a": .string("alice")]))
    #expect(words.expected == #""bob""# && words.actual.isEmpty)
  }

  @Test("long values are cut")
  func cut() throws {
    let long = String(repeating: "x", count: 1_000_000)
    let text = try #require(try failure("a = 'b'", ["a": .string(long)]))
    #expect(text.actual.count == 101 && text.actual.hasSuffix("…"))
    let numbers = FieldValue.int64List(Array(0..<100_000))
    let list = try #require(try failure("a CONTAINS -1", ["a": numbers]))
    #expect(list.actual.count == 101)
  }

  @Test("the sentence shows all")
  func message() throws {
    let record = Record(
      recordID: RecordID(recordName: "r"),
      recordType: "T",
      fields: ["price": .int64(90_000)]
    )
    let failure = try Predicate(text: "price > 100000").firstFailure(for: record)
    #expect(failure?.message == "price > 100000 is false: the record has 90000")
    let absent = try Predicate(text: "city = 'a'").firstFailure(for: record)
    #expect(absent?.message == #"city = "a" is false: the record has no city"#)
  }

  @Test(
    "there is a term if and only if the record does not match, and it is false",
    arguments: [1, 2, 3, 4] as [UInt64]
  )
  func property(seed: UInt64) throws {
    var source = RandomPredicates(seed: seed)
    for round in 0..<3_000 {
      let predicate = try Predicate(root: source.node())
      for _ in 0..<6 {
        let record = source.record()
        let failure = predicate.firstFailure(for: record)
        let position: Comment = "seed \(seed), round \(round): \(predicate.text) for \(record)"
        #expect((failure == nil) == predicate.matches(record), position)
        guard let failure else { continue }
        #expect(predicate.text.contains(failure.term), position)
        let term = try Predicate(canonicalText: failure.term)
        #expect(!term.matches(record), "\(failure.term) of \(position)")
        #expect(failure.actualValue.count <= 101 && !failure.message.isEmpty)
      }
    }
  }
}
