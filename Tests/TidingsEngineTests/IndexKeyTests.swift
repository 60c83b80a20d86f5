internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

@Suite struct IndexKeyTests {
  private func sign(_ order: Int) -> Int { order < 0 ? -1 : (order > 0 ? 1 : 0) }

  private func order(_ a: IndexKey, _ b: IndexKey) -> Int { a < b ? -1 : (b < a ? 1 : 0) }

  private static func number(_ random: inout SplitMix64) -> FieldValue {
    let whole: Int64 =
      switch random.below(4) {
      case 0: Int64(bitPattern: random.next())
      case 1: Int64(random.below(5)) - 2
      case 2: (1 << Int64(random.below(63))) + Int64(random.below(5)) - 2
      default: Int64.max - Int64(random.below(2000))
      }
    let value = random.oneIn(2) ? whole : 0 &- whole
    switch random.below(4) {
    case 0: return .double(Double(value))
    case 1: return .double(Double(value).nextUp)
    case 2:
      let any = Double(bitPattern: random.next())
      return .double(any.isFinite ? any : 0.5)
    default: return .int64(value)
    }
  }

  @Test("numbers have the order of the evaluator, int64 and double together")
  func numbers() {
    let seed = Seed.make("IndexKey.numbers")
    var random = SplitMix64(seed: seed)
    for _ in 0..<100_000 {
      let a = Self.number(&random)
      var b = Self.number(&random)
      if random.oneIn(3), case .int64(let whole) = a { b = .double(Double(whole)) }
      guard let first = IndexKey(a), let second = IndexKey(b) else {
        Issue.record("a number without a key")
        return
      }
      let expected = sign(a.meaningOrder(b) ?? 9)
      #expect(order(first, second) == expected, "\(a) \(b) seed \(seed)")
    }
  }

  @Test("values of all types have the order of the evaluator, each class apart")
  func allTypes() {
    let seed = Seed.make("IndexKey.types")
    var random = RandomPredicates(seed: seed)
    for _ in 0..<20_000 {
      let (a, b) = (random.scalar(), random.scalar())
      guard let first = IndexKey(a), let second = IndexKey(b) else {
        #expect(a.meaningClass == nil || b.meaningClass == nil)
        continue
      }
      let expected = sign(Predicate.order(a, b))
      // Locations have an order of their own, by cells.
      let areLocations = a.meaningClass == .location && b.meaningClass == .location
      #expect(
        areLocations ? (first == second) == (expected == 0) : order(first, second) == expected,
        "\(a) \(b) seed \(seed)"
      )
      #expect(first < .afterScalars && first < .absent)
      #expect(KeyRange.scalars.contains(first))
      let member = IndexKey(a, asMember: true)
      #expect(member.map { !KeyRange.scalars.contains($0) && $0 < .absent } == true)
    }
  }

  @Test("a long text is cut, and its key says so")
  func cut() throws {
    let bytesMax = IndexKey.bytesMax
    let short = try #require(IndexKey(.string(String(repeating: "x", count: bytesMax - 2))))
    let long = try #require(IndexKey(.string(String(repeating: "x", count: 10_000))))
    #expect(short.isExact && !long.isExact)
    #expect(short < long && long.bytes.count == bytesMax)
  }

  @Test("what begins with a prefix lies before what follows the prefix")
  func prefixes() throws {
    for prefix in ["", "a", "\u{7f}", "\u{10ffff}", "a\u{0}"] {
      let key = try #require(IndexKey(.string(prefix)))
      let range = KeyRange(lower: key, upper: key.afterPrefix)
      for rest in ["", "\u{0}", "b", "\u{10ffff}"] {
        let longer = try #require(IndexKey(.string(prefix + rest)))
        #expect(range.contains(longer))
      }
      let other = try #require(IndexKey(.bytes([0])))
      #expect(!range.contains(other))
    }
  }

  @Test("a record stands in an index once for a scalar, once for each member, once when absent")
  func records() {
    #expect(IndexKey.keys(of: nil) == [.absent])
    #expect(IndexKey.keys(of: .int64(5)).count == 1)
    #expect(IndexKey.keys(of: .int64List([5, 3, 5])).count == 2)
    #expect(IndexKey.keys(of: .int64List([])).isEmpty)
    #expect(
      IndexKey.words(of: .string("the Smith, BOB smith")).map(\.bytes) == [
        Array("bob".utf8), Array("smith".utf8),
      ]
    )
  }
}
