import Testing
import TidingsMemory
import TidingsRPC

@testable import TidingsZeroMQ

/// What is counted for topics, and which connection has to end.
@Suite("TopicAccounts") struct TopicAccountsTests {
  private let memory = MemoryShares(bytes: MemoryShares.bytesMin)
  private let eve = CallerKey(user: "eve")
  private let ada = CallerKey(user: "ada")

  /// Adds topics of 16 bytes until a connection has to end, or there are so many.
  private func fill(
    _ accounts: inout TopicAccounts,
    _ connection: UInt64,
    _ user: CallerKey?,
    countMax: Int
  ) -> ConnectionNumber? {
    for _ in 0..<countMax {
      let excess = accounts.add(16, of: ConnectionNumber(connection), for: user)
      if excess != nil { return excess }
    }
    return nil
  }

  @Test("a user's connections have a bound together, and room again when one has ended")
  func user() {
    var accounts = TopicAccounts(memory)
    let count = memory[.topicsPerUser] / MemoryShares.topicCost(16)
    #expect(fill(&accounts, 1, eve, countMax: count - 10) == nil)
    #expect(fill(&accounts, 2, eve, countMax: 20) == ConnectionNumber(2))
    // What it still sends ends no other.
    #expect(fill(&accounts, 2, eve, countMax: 20) == nil)
    #expect(fill(&accounts, 3, eve, countMax: 10) == nil)
    accounts.remove(ConnectionNumber(1))
    #expect(fill(&accounts, 4, eve, countMax: count - 10) == nil)
  }

  @Test("if all together have too many, the user who has the most loses the largest connection")
  func all() {
    var accounts = TopicAccounts(memory)
    let count = memory[.topicsPerUser] / MemoryShares.topicCost(16)
    #expect(fill(&accounts, 1, eve, countMax: count / 3) == nil)
    #expect(fill(&accounts, 2, eve, countMax: count / 2) == nil)
    #expect(fill(&accounts, 3, ada, countMax: count * 3 / 4) == ConnectionNumber(2))
  }

  @Test("a long topic counts for more, and without keys only the bound of all applies")
  func nobody() {
    var accounts = TopicAccounts(memory)
    let count = memory[.topics] / MemoryShares.topicCost(1_000)
    #expect(count * 10 < memory[.topics] / MemoryShares.topicCost(16))
    for _ in 0..<count {
      #expect(accounts.add(1_000, of: ConnectionNumber(1), for: nil) == nil)
    }
    #expect(accounts.add(1_000, of: ConnectionNumber(1), for: nil) == ConnectionNumber(1))
  }
}
