import RandomSupport
import Testing

@testable import TidingsModel

@Suite("What is found of large values")
struct EvaluationMemoryTests {
  /// Evaluates as often as it takes, with the work in between.
  private func matches(
    _ predicate: Predicate,
    _ record: Record,
    _ memory: EvaluationMemory
  ) throws -> Bool {
    var rounds = 0
    while true {
      rounds += 1
      try #require(rounds < 100, "\(predicate) of \(record) is never known")
      memory.beginPass()
      let answer = predicate.root.matches(record, LargeFields(record, memory))
      if let answer { return answer }
      #expect(memory.hasPending)
      var count = 0
      while !memory.work(until: { true }) { count += 1 }
      #expect(count < 1_000)
    }
  }

  @Test("the meaning is the same, whatever the budget", arguments: [1, 2, 3, 4] as [UInt64])
  func sameMeaning(seed: UInt64) throws {
    var source = RandomPredicates(seed: seed)
    for round in 0..<2_000 {
      let predicate = try Predicate(root: source.node())
      let stepsMax = source.random.pick([0, 64, 500, nil] as [Int?])
      let memory = EvaluationMemory(stepsMax: stepsMax, largeBytesMin: 0)
      for _ in 0..<4 {
        let record = source.record()
        #expect(
          try matches(predicate, record, memory) == predicate.matches(record),
          "seed \(seed), round \(round): \(predicate) for \(record)"
        )
      }
    }
  }

  private func record(_ value: FieldValue) -> Record {
    Record(recordID: RecordID(recordName: "r"), recordType: "T", fields: ["a": value])
  }

  @Test("a text is brought to lowercase once, and searched once for each pattern")
  func once() throws {
    let text = String(repeating: "Ünïcödé TEXT ", count: 20_000)
    let record = record(.string(text))
    let memory = EvaluationMemory(stepsMax: nil)
    memory.beginPass()
    let large = try #require(LargeFields(record, memory))
    func steps(_ predicate: String) throws -> Int {
      let before = memory.stepsTaken
      _ = try Predicate(text: predicate).root.matches(record, large)
      return memory.stepsTaken - before
    }
    let first = try steps(#"a LIKE[c] "*ünïq*""#)
    let other = try steps(#"a LIKE[c] "*other*""#)
    #expect(other < first / 2)
    #expect(try steps(#"a LIKE[c] "*other*""#) < 1_000)
    #expect(try steps(#"a ==[c] "x""#) < 1_000)
    _ = try steps(#"a CONTAINS "word""#)
    #expect(try steps(#"a CONTAINS "text""#) < 1_000)
    #expect(try steps(#"self CONTAINS ALL "text other""#) < 1_000)
  }

  @Test("of a list the members are found, not looked for one by one")
  func members() throws {
    let members = (0..<90_000).map { "Member \($0)" }
    let record = record(.stringList(members))
    let memory = EvaluationMemory(stepsMax: nil)
    memory.beginPass()
    let large = try #require(LargeFields(record, memory))
    _ = try Predicate(text: #"ANY a ==[c] "member 7""#).root.matches(record, large)
    let before = memory.stepsTaken
    for number in 0..<1_000 {
      let predicate = try Predicate(text: #"ANY a ==[c] "MEMBER \#(number)""#)
      #expect(predicate.root.matches(record, large) == true)
    }
    #expect(memory.stepsTaken - before < 1_000_000)
  }

  @Test("no evaluation takes more than its budget, and each repetition gets on")
  func budget() throws {
    let record = record(.string(String(repeating: "AbC ", count: 75_000)))
    let patterns = (0..<64).map { #"a LIKE[c] "*x\#($0)*""# }
    let predicate = try Predicate(text: patterns.joined(separator: " OR "))
    let memory = EvaluationMemory()
    #expect(try !matches(predicate, record, memory))
    #expect(memory.longestPass <= EvaluationMemory.stepsMax)
    #expect(memory.stepsTaken > EvaluationMemory.stepsMax)
  }

  @Test("lowercase is that of the standard library, code point by code point")
  func lowercase() {
    for value in UInt32(0)...0x10ffff {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = String(Character(scalar))
      if CaseFolding.lowercased(text).unicodeScalars.elementsEqual(text.lowercased().unicodeScalars)
      {
        continue
      }
      Issue.record("U+\(String(value, radix: 16))")
    }
    #expect(CaseFolding.lowercased("ΣΑΣ İstanbul ẞ Ⱥ") == "ΣΑΣ İstanbul ẞ Ⱥ".lowercased())
  }

  @Test("a predicate that looks through texts too often is refused, one that looks words up is not")
  func price() throws {
    func predicate(_ count: Int, _ comparison: (Int) -> String) throws -> Predicate {
      try Predicate(text: (0..<count).map(comparison).joined(separator: " OR "))
    }
    let countMax = PredicateLimits.searchCountMax
    try predicate(countMax) { #"a LIKE "*x\#($0)*""# }.checkPrice()
    try predicate(400) { #"a CONTAINS "x\#($0)""# }.checkPrice()
    try predicate(400) { #"a\#($0) = \#($0)"# }.checkPrice()
    for text in [#"LIKE "*x"#, #"ENDSWITH "x"#, #"BEGINSWITH "x"#] {
      let many = try predicate(countMax + 1) {
        text.hasPrefix("LIKE") ? "a \(text)\($0)*\"" : "ANY a \(text)\($0)\""
      }
      #expect(throws: PredicateError.self) { try many.checkPrice() }
    }
  }
}
