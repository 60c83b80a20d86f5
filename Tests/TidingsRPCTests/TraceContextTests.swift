import RandomSupport
import Testing

@testable import TidingsRPC

@Suite struct TraceContextTests {
  private static let text = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

  @Test("a traceparent is read and written as it is")
  func example() throws {
    let context = try #require(TraceContext(Self.text))
    #expect(context.text == Self.text && context.isSampled)
    #expect(context.traceID.text == "0af7651916cd43dd8448eb211c80319c")
    #expect(context.traceID.bytes.count == 16 && context.spanID.bytes.count == 8)
    #expect(context.traceID.bytes.first == 0x0a && context.spanID.bytes.last == 0x31)
    #expect(TraceContext(Self.text.dropLast(2) + "00")?.isSampled == false)
    // Flags that are not known are ignored, and so is what a later version has behind them.
    #expect(TraceContext(Self.text.dropLast(2) + "03")?.text == Self.text)
    #expect(TraceContext("01" + Self.text.dropFirst(2) + "-more") != nil)
  }

  @Test(
    "anything else is none",
    arguments: [
      "", "00", text + "0", text + "-more", "ff" + text.dropFirst(2), text.uppercased(),
      "00-00000000000000000000000000000000-b7ad6b7169203331-01",
      "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
      "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "0x-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "00-0af7651916cd43dd8448eb211c80319\u{e9}-b7ad6b7169203331-01",
    ]
  )
  func malformed(text: String) { #expect(TraceContext(text) == nil) }

  @Test("random ones are read as they were written")
  func roundTrips() {
    for _ in 0..<1_000 {
      let context = TraceContext(.random(), .random(), isSampled: .random())
      #expect(TraceContext(context.text) == context)
    }
  }
}
