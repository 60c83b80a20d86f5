import CZeroMQ
import Testing
import TidingsRPC

@testable import TidingsZeroMQ

@Suite struct UnreadAnswersTests {
  private let first = ConnectionNumber(1)
  private let second = ConnectionNumber(2)
  private let ada = CallerKey(user: "ada")
  private let bob = CallerKey(user: "bob")

  @Test("answers are counted in portions until a frame of each is gone")
  func portions() throws {
    var unread = UnreadAnswers()
    let size = UnreadAnswers.portionBytes / 4 - UnreadAnswers.overheadBytes
    for _ in 0..<3 {
      let portion = unread.portion(for: size, to: first, of: ada)
      #expect(portion == nil)
    }
    let fourth = unread.portion(for: size, to: first, of: ada)
    let portion = try #require(fourth)
    #expect(portion.bytes == UnreadAnswers.portionBytes)
    do {
      guard let frame = OutgoingFrame(byteCount: size, counting: portion) else {
        Issue.record("no memory")
        return
      }
      #expect(frame.bytes.count == size && portion.count.value == UnreadAnswers.portionBytes)
    }
    #expect(portion.count.value == 0)
  }

  @Test("a connection's large answers wait when libzmq has many; a single one always goes")
  func libzmq() throws {
    var unread = UnreadAnswers()
    let half = UnreadAnswers.bytesInLibzmqMax / 2
    #expect(unread.hasRoomInLibzmq(for: 3 * half, to: first))
    let counted = unread.portion(for: half, to: first, of: ada)
    let portion = try #require(counted)
    portion.count.add(portion.bytes)
    #expect(!unread.hasRoomInLibzmq(for: half + 1, to: first))
    #expect(unread.hasRoomInLibzmq(for: half + 1, to: second))
    portion.count.add(-portion.bytes)
    #expect(unread.hasRoomInLibzmq(for: 3 * half, to: first))
  }

  /// Lets answers wait.
  private func hold(
    _ byteCount: Int,
    on number: UInt64,
    of caller: CallerKey,
    _ unread: inout UnreadAnswers
  ) -> UnreadAnswers.Room {
    let room = unread.room(for: byteCount, to: ConnectionNumber(number), of: caller)
    if room == .free { unread.waits(byteCount, on: ConnectionNumber(number)) }
    return room
  }

  @Test("a connection, a user and all connections together hold so much; the largest ends")
  func bounds() {
    var unread = UnreadAnswers()
    let mebibyte = 1 << 20
    let most = UnreadAnswers.bytesPerConnectionMax
    #expect(hold(most, on: 1, of: ada, &unread) == .free)
    #expect(hold(1, on: 1, of: ada, &unread) == .exceeded(ConnectionNumber(1)))
    #expect(hold(most - mebibyte, on: 2, of: ada, &unread) == .free)
    #expect(hold(2 * mebibyte, on: 3, of: ada, &unread) == .exceeded(ConnectionNumber(1)))
    unread.ends(ConnectionNumber(1))
    #expect(unread.isEnding(ConnectionNumber(1)))
    #expect(hold(2 * mebibyte, on: 3, of: ada, &unread) == .free)
    unread.remove(ConnectionNumber(1))
    #expect(!unread.isEnding(ConnectionNumber(1)))
    // What is left of 512 MiB.
    for number in 10..<12 as Range<UInt64> {
      #expect(hold(most, on: number, of: bob, &unread) == .free)
    }
    let carol = CallerKey(user: "carol")
    #expect(hold(most - 2 * mebibyte, on: 20, of: carol, &unread) == .free)
    guard case .exceeded(let largest) = hold(2 * mebibyte, on: 30, of: .nobody, &unread) else {
      Issue.record("more is held than may be")
      return
    }
    #expect(largest.value == 10 || largest.value == 11)
    unread.remove(largest)
    #expect(hold(2 * mebibyte, on: 30, of: .nobody, &unread) == .free)
  }
}
