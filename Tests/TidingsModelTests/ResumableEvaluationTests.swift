import RandomSupport
import Testing

@testable import TidingsModel

@Suite("Evaluations that are given up and resumed")
struct ResumableEvaluationTests {
  /// Evaluates in slices that are over as soon as they begin.
  private func matches(
    _ predicate: Predicate,
    _ record: Record,
    largeBytesMin: Int? = nil
  ) throws -> (answer: Bool, slices: Int) {
    var evaluation = ResumableEvaluation(of: predicate)
    var slices = 0
    while true {
      slices += 1
      try #require(slices < 1_000, "\(predicate) of \(record.recordID) is never known")
      let answer = evaluation.matches(
        record,
        largeBytesMin: largeBytesMin ?? predicate.bytesAtOnceMax,
        until: { true }
      )
      if let answer { return (answer, slices) }
    }
  }

  @Test("the meaning is the same, wherever it is given up", arguments: [1, 2, 3, 4] as [UInt64])
  func sameMeaning(seed: UInt64) throws {
    var source = RandomPredicates(seed: seed)
    var slicesMax = 0
    for round in 0..<2_000 {
      let predicate = try Predicate(root: source.node())
      let record = source.record()
      let found = try matches(predicate, record, largeBytesMin: 0)
      slicesMax = max(slicesMax, found.slices)
      #expect(
        found.answer == predicate.matches(record),
        "seed \(seed), round \(round): \(predicate) for \(record)"
      )
    }
    #expect(slicesMax > 2)
  }

  private func record(_ fields: RecordFields) -> Record {
    Record(recordID: RecordID(recordName: "r"), recordType: "T", fields: fields)
  }

  private func slices(_ comparisons: [String], _ record: Record) throws -> Int {
    let predicate = try Predicate(text: comparisons.joined(separator: " OR "))
    let found = try matches(predicate, record)
    #expect(!found.answer)
    return found.slices
  }

  @Test("what is found of a value answers all comparisons that need it")
  func together() throws {
    let text = FieldValue.string(String(repeating: "Some Words ", count: 40_000))
    let record = record(["a": text, "b": text])
    #expect(try slices((0..<450).map { #"a CONTAINS "x\#($0)""# }, record) == 1)
    let both = (0..<450).map { #"\#($0 % 2 == 0 ? "a" : "b") CONTAINS "x\#($0)""# }
    #expect(try slices(both, record) <= 2)
    #expect(try slices((0..<450).map { #"a BEGINSWITH[c] "x\#($0)""# }, record) == 1)
    let members = FieldValue.stringList((0..<60_000).map { "member \($0)" })
    let list = self.record(["a": members])
    #expect(try slices((0..<450).map { #"a CONTAINS "x\#($0)""# }, list) == 1)
  }

  @Test("each search of a large text may be the last of a slice")
  func searches() throws {
    let text = String(repeating: "Some Words ", count: 80_000)
    let patterns = (0..<64).map { #"a LIKE[c] "*x\#($0)*""# }
    #expect(try slices(patterns, record(["a": .string(text)])) == 64)
  }

  @Test("the texts of a record are read in pieces, once for all comparisons")
  func texts() throws {
    let text = FieldValue.string(String(repeating: "a1 b2 c3 ", count: 300))
    let record = record(RecordFields((0..<300).map { .init(name: "f\($0)", value: text) }))
    let slices = try slices((0..<450).map { #"self CONTAINS "x\#($0)""# }, record)
    #expect((8...16).contains(slices), "\(slices)")
    for (predicate, answer) in [
      (#"self CONTAINS ALL "a1 c3""#, true), (#"self CONTAINS ALL "a1 x""#, false),
      (#"NOT self CONTAINS "x y c3""#, false), (#"self CONTAINS "b2""#, true),
    ] {
      let predicate = try Predicate(text: predicate)
      #expect(try matches(predicate, record).answer == answer, "\(predicate)")
    }
  }

  @Test("what is evaluated at once depends on what the comparisons cost")
  func price() throws {
    func bytes(_ predicate: String) throws -> Int { try Predicate(text: predicate).bytesAtOnceMax }
    let plain = try bytes("a = 1")
    let word = try bytes(#"a CONTAINS "x""#)
    #expect(word < plain)
    let many = (0..<450).map { #"a CONTAINS "x\#($0)""# }.joined(separator: " OR ")
    #expect(try bytes(many) <= word / 400)
    let words = (0..<60).map { "x\($0)" }.joined(separator: " ")
    #expect(try bytes(#"self CONTAINS ALL "\#(words)""#) <= word / 10)
    let patterns = (0..<64).map { #"a LIKE[c] "*x\#($0)*""# }.joined(separator: " OR ")
    #expect(try bytes(patterns) < plain / 64)
  }
}
