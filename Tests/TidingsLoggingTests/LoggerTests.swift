internal import Foundation
internal import Testing

@testable internal import TidingsLogging

@Suite struct LoggerTests {
  @Test("a line stays one line, whatever is in the message and the values")
  func lines() {
    let line = Logger.line(
      .warning,
      "a\nb\u{202E}",
      [("key", .string("x\ny\u{9B}\u{2028}\u{202E}\"\\"))]
    )
    #expect(
      line.hasSuffix("Z warning a\\nb\\u{202E} key=\"x\\u{a}y\\u{9b}\\u{2028}\\u{202e}\\\"\\\\\"\n")
    )
  }

  @Test("a line of JSON is one object, whatever is in the message and the values")
  func jsonLines() throws {
    let text = "x\ny\u{9B}\u{2028}\u{202E}\"\\\u{0}\u{1B}[2J"
    let line = Logger.jsonLine(.error, text, [("key", .string(text)), ("count", .integer(3))])
    #expect(line.hasSuffix("}\n"))
    #expect(line.dropLast().unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7F })
    let object = try #require(
      JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    )
    #expect(object["message"] as? String == text && object["key"] as? String == text)
    #expect(object["level"] as? String == "error" && object["count"] as? Int == 3)
  }
}
