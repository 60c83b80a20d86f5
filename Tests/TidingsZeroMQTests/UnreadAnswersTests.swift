import CZeroMQ
import Testing

@testable import TidingsZeroMQ

@Suite struct UnreadAnswersTests {
  private func envelope(_ number: UInt8) throws -> Envelope {
    try #require(Envelope([[number, 1, 2, 3, 4]]))
  }

  @Test("large answers are counted until their frames are gone, small ones are not")
  func counts() throws {
    var unread = UnreadAnswers()
    let peer = try envelope(0)
    let large = UnreadAnswers.bytesPerConnectionMax / 2
    #expect(unread.count(for: UnreadAnswers.countedBytesMin - 1, to: peer) == nil)
    let count = try #require(unread.count(for: large, to: peer))
    do {
      let first = try #require(OutgoingFrame(byteCount: large, countedBy: count))
      #expect(count.value == large && first.bytes.count == large)
      #expect(unread.hasRoom(for: large, to: peer))
      #expect(!unread.hasRoom(for: large + 1, to: peer))
      // One that reads is not kept waiting by one that does not.
      #expect(try unread.hasRoom(for: large + 1, to: envelope(1)))
    }
    #expect(count.value == 0)
    #expect(unread.hasRoom(for: 2 * large + 1, to: peer), "one answer always goes")
  }
}
