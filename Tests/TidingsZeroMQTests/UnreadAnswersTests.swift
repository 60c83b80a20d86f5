import CZeroMQ
import Testing
import TidingsMemory
import TidingsRPC

@testable import TidingsZeroMQ

@Suite struct UnreadAnswersTests {
  private let first = ConnectionNumber(1)
  private let second = ConnectionNumber(2)
  private let ada = CallerKey(user: "ada")
  private let bob = CallerKey(user: "bob")

  @Test("answers are counted in portions until a frame of each is gone")
  func portions() throws {
    var unread = UnreadAnswers(MemoryShares())
    let account = unread.account(of: first, for: ada)
    let size = UnreadAnswers.portionBytes / 4 - UnreadAnswers.overheadBytes
    for _ in 0..<3 {
      #expect(account.portion(for: size) == nil)
    }
    let portion = try #require(account.portion(for: size))
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
    var unread = UnreadAnswers(MemoryShares())
    let account = unread.account(of: first, for: ada)
    let other = unread.account(of: second, for: ada)
    let half = MemoryShares()[.unreadAnswersInLibzmq] / 2
    #expect(account.hasRoomInLibzmq(for: 3 * half))
    let portion = try #require(account.portion(for: half))
    portion.count.add(portion.bytes)
    #expect(!account.hasRoomInLibzmq(for: half + 1))
    #expect(other.hasRoomInLibzmq(for: half + 1))
    portion.count.add(-portion.bytes)
    #expect(account.hasRoomInLibzmq(for: 3 * half))
  }

  @Test("an answer as large as may be goes after small ones that are not counted yet")
  func largeAfterSmall() {
    let memory = MemoryShares(bytes: MemoryShares.bytesMin)
    var unread = UnreadAnswers(memory)
    let account = unread.account(of: first, for: ada)
    #expect(account.portion(for: 100) == nil)
    for byteCount in [memory[.unreadAnswersInLibzmq], memory[.unreadAnswersPerConnection]] {
      #expect(account.hasRoomInLibzmq(for: byteCount))
      #expect(unread.room(for: byteCount, in: account) == .free)
    }
  }

  /// Lets answers wait.
  private func hold(
    _ byteCount: Int,
    on number: UInt64,
    of caller: CallerKey,
    _ unread: inout UnreadAnswers
  ) -> UnreadAnswers.Room {
    let account = unread.account(of: ConnectionNumber(number), for: caller)
    let room = unread.room(for: byteCount, in: account)
    if room == .free { account.waits(byteCount) }
    return room
  }

  @Test("a connection, a user and all connections together hold so much; the largest ends")
  func bounds() {
    var unread = UnreadAnswers(MemoryShares())
    let (memory, mebibyte) = (MemoryShares(), 1 << 20)
    let most = memory[.unreadAnswersPerConnection]
    let ofUser = memory[.unreadAnswersPerUser]
    #expect(hold(most, on: 1, of: ada, &unread) == .free)
    #expect(hold(1, on: 1, of: ada, &unread) == .exceeded(ConnectionNumber(1)))
    #expect(hold(ofUser - most - mebibyte, on: 2, of: ada, &unread) == .free)
    #expect(hold(2 * mebibyte, on: 3, of: ada, &unread) == .exceeded(ConnectionNumber(1)))
    let ending = unread.account(of: ConnectionNumber(1), for: ada)
    unread.ends(ConnectionNumber(1))
    #expect(ending.isEnding && ending.bytes == 0)
    #expect(hold(2 * mebibyte, on: 3, of: ada, &unread) == .free)
    unread.remove(ConnectionNumber(1))
    // What is left for others, less a mebibyte.
    #expect(hold(most, on: 10, of: bob, &unread) == .free)
    let left = memory[.unreadAnswers] - ofUser - 2 * mebibyte
    #expect(hold(left, on: 20, of: CallerKey(user: "carol"), &unread) == .free)
    guard case .exceeded(let largest) = hold(2 * mebibyte, on: 30, of: .nobody, &unread) else {
      Issue.record("more is held than may be")
      return
    }
    #expect(largest.value == 10)
    unread.remove(largest)
    #expect(hold(2 * mebibyte, on: 30, of: .nobody, &unread) == .free)
  }
}
