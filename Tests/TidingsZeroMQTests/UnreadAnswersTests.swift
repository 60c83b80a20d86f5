import CZeroMQ
import Testing

@testable import TidingsZeroMQ

@Suite struct UnreadAnswersTests {
  private func envelope(_ number: UInt64) -> Envelope {
    .short(
      number << 16 | UInt64(ConnectionNumber.tag) << 8 | UInt64(ConnectionNumber.routingIDBytes)
    )
  }

  @Test("large answers are counted until their frames are gone, small ones are not")
  func counts() throws {
    var unread = UnreadAnswers()
    let peer = envelope(0)
    let large = UnreadAnswers.bytesPerConnectionMax / 2
    let small = unread.count(for: UnreadAnswers.countedBytesMin - 1, to: peer)
    #expect(small == nil)
    let counted = unread.count(for: large, to: peer)
    let count = try #require(counted)
    do {
      guard let frame = OutgoingFrame(byteCount: large, countedBy: count) else {
        Issue.record("no memory")
        return
      }
      #expect(count.value == large)
      #expect(frame.bytes.count == large)
      #expect(unread.hasRoom(for: large, to: peer))
      #expect(!unread.hasRoom(for: large + 1, to: peer))
      // One that reads is not kept waiting by one that does not.
      #expect(unread.hasRoom(for: large + 1, to: envelope(1)))
    }
    #expect(count.value == 0)
    // A single answer always goes.
    #expect(unread.hasRoom(for: 2 * large + 1, to: peer))
  }
}
