internal import Testing

@testable internal import TidingsService

@Suite struct LoggerTests {
  @Test("a line stays one line, whatever is in the message and the values")
  func lines() {
    let line = Logger.line(.warning, "a\nb\u{202E}", ["key": "x\ny\u{9B}\u{2028}\u{202E}\"\\"])
    #expect(
      line.hasSuffix("Z warning a\\nb\\u{202E} key=\"x\\u{a}y\\u{9b}\\u{2028}\\u{202e}\\\"\\\\\"\n")
    )
  }
}
