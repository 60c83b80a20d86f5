internal import RandomSupport
internal import Testing

@testable internal import TidingsModel

@Suite struct CaseSpellingsTests {
  @Test("every code point is a spelling of its lowercase")
  func everyScalar() {
    for value in 0...UInt32(0x10ffff) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = String(scalar)
      let folded = text.foldedCase
      // Those without cases are themselves; it takes long to look at each.
      guard folded != text || value < 0x3000 else { continue }
      let spellings = CaseSpellings(of: folded, areHeads: false)
      let isSpelling = spellings.spelling(of: Array(text.utf8)).map { $0 == Array(text.utf8) }
      #expect(isSpelling == true, "\(value)")
    }
  }

  @Test(
    "leaps from spelling to spelling miss no text, and find no other",
    arguments: 1...3 as ClosedRange<UInt64>
  )
  func leaps(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let letters = [
      "a", "A", "k", "K", "\u{212a}", "i", "I", "\u{130}", "\u{307}", "é", "É", "ß", "ẞ", "1",
    ]
    func text(_ countMax: Int) -> String {
      (0..<random.below(countMax + 1)).map { _ in random.pick(letters) }.joined()
    }
    var foundCount = 0
    for _ in 0..<1_000 {
      let texts = (0..<30).map { _ in Array(text(4).utf8) }
        .sorted { $0.lexicographicallyPrecedes($1) }
      let folded = text(3).foldedCase
      for areHeads in [false, true] {
        let spellings = CaseSpellings(of: folded, areHeads: areHeads)
        let expected = texts.filter {
          let own = String(decoding: $0, as: UTF8.self).foldedCase
          return areHeads ? own.hasBytePrefix(folded) : own.hasSameBytes(as: folded)
        }
        var found: [[UInt8]] = []
        var next = spellings.first(notBefore: [])
        while let start = next {
          guard let text = texts.first(where: { !$0.lexicographicallyPrecedes(start) }) else {
            break
          }
          if let spelling = spellings.spelling(of: text) {
            found += texts.filter { areHeads ? $0.starts(with: spelling) : $0 == spelling }
            next = spellings.first(behind: spelling)
          } else {
            next = spellings.first(notBefore: text)
          }
        }
        foundCount += found.count
        #expect(found == expected, "'\(folded)' \(areHeads) seed \(seed)")
      }
    }
    #expect(foundCount > 1_000)
  }
}
