import Testing
import TidingsJSON

@Suite struct TerminalTextTests {
  @Test("what hides, reorders or commands is an escape, and all else stays")
  func escapes() throws {
    let plain = "é 日本 👩‍👩‍👧 العربية \u{200D}"
    #expect(plain.terminalText() == plain)
    #expect("a\nb\tc".terminalText(keepsLines: true) == "a\nb\tc")
    #expect("a\nb\tc".terminalText() == "a\\nb\\tc")
    #expect(
      "x\u{202E}y\u{1B}[0m\u{9B}".terminalText(keepsLines: true) == "x\\u{202E}y\\u{1B}[0m\\u{009B}"
    )
    for value: UInt32 in [
      0, 0x07, 0x1B, 0x7F, 0x85, 0x9F, 0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E,
      0x2066, 0x2069, 0xFEFF,
    ] {
      let text = "a" + String(try #require(Unicode.Scalar(value))) + "b"
      #expect(text.terminalText().utf8.allSatisfy { $0 < 0x7F && $0 >= 0x20 })
      // JSON stays JSON, and says the same.
      let json = JSONValue.string(text)
      #expect(json.description.utf8.allSatisfy { $0 < 0x7F && $0 >= 0x20 })
      #expect(try JSONValue(parsing: json.text()) == json)
    }
  }
}
