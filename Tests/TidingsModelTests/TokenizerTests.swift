import Foundation
import RandomSupport
import Testing

@testable import TidingsModel

@Suite("Words of a text")
struct TokenizerTests {
  @Test(
    "splits, folds and leaves out",
    arguments: [
      ("", []),
      ("The quick, brown FOX.", ["brown", "fox", "quick"]),
      ("bob bob BOB", ["bob"]),
      ("it's R2-D2_x", ["d2", "r2", "s", "x"]),
      ("Élan e\u{301}lan ELAN", ["elan"]),
      ("Ångström İstanbul", ["angstrom", "istanbul"]),
      ("ΟΔΟΣ οδός", ["οδοσ"]),
      ("Ёлка Їжак", ["елка", "іжак"]),
      ("日本語 テキスト。次", ["テキスト", "日本語", "次"]),
      ("हिन्दी", ["हिन्दी"]),
      ("naïve😀café", ["cafe", "naive"]),
      ("\u{301}x", ["x"]),
      ("straße Æther", ["straße", "æther"]),
      ("a an and are as at be but by for if in into is it no not of on or such", []),
      ("that the their then there these they this to was will with", []),
    ]
  )
  func tokens(text: String, words: [String]) {
    #expect(Tokenizer.tokens(of: text) == words)
  }

  @Test("the words of words are the same words", arguments: [1, 2] as [UInt64])
  func idempotent(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      var text = String.UnicodeScalarView()
      for _ in 0..<random.below(40) {
        let value = UInt32(random.below(random.pick([0x80, 0x600, 0x2000, 0x1_f000])))
        if let scalar = Unicode.Scalar(value) { text.append(scalar) }
      }
      let words = Tokenizer.tokens(of: String(text))
      #expect(Tokenizer.tokens(of: words.joined(separator: " ")) == words, "seed \(seed): \(text)")
    }
  }

  @Test("takes the diacritics off as Unicode's decomposition says")
  func folding() throws {
    var folded = 0
    for value in Array(0xc0..<0x250) + Array(0x370..<0x530) + Array(0x1e00..<0x2000) {
      guard let scalar = Unicode.Scalar(value), scalar.properties.isAlphabetic,
        scalar.properties.lowercaseMapping == String(scalar)
      else { continue }
      let parts = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
      let areMarks = parts.dropFirst().allSatisfy {
        $0.properties.generalCategory == .nonspacingMark
      }
      let first = try #require(parts.first)
      let expected = scalar == "ς" ? "σ" : (areMarks ? first : scalar)
      #expect(DiacriticFolding.base(of: scalar) == expected, "\(scalar)")
      if expected != scalar { folded += 1 }
    }
    #expect(folded > 400)
  }

  @Test("bounds the words of a text and the bytes of a word")
  func bounds() {
    let long = String(repeating: "é", count: 300) + "x"
    #expect(Tokenizer.tokens(of: long) == [String(repeating: "e", count: 128)])
    let cut = String(repeating: "x", count: 127) + "日x"
    #expect(Tokenizer.tokens(of: cut) == [String(repeating: "x", count: 127)])
    let many = (0..<20_000).map { "w\($0)" }.joined(separator: " ")
    #expect(Tokenizer.tokens(of: many).count == Tokenizer.tokenCountMax)
    #expect(!Tokenizer.tokens(of: many).contains("w10000"))
  }
}
