internal import TestSupport
internal import Testing
internal import TidingsModel

@testable internal import TidingsEngine

/// What users are notified of subscriptions that are over when their notifications are forgotten.
@Suite struct EndedSubscriptionsTests {
  /// Forgets all events but the newest.
  private func forget(_ store: FeedStore) throws {
    var limits = Limits()
    limits.notificationsMax = 1
    try store.retain(limits: limits, at: 2)
  }

  private func expires(_ store: FeedStore, _ token: [UInt8]) throws -> Bool {
    do {
      _ = try store.feed().page(after: token)
      return false
    } catch let error as ItemError where error.code == .changeTokenExpired {
      return true
    }
  }

  @Test(
    "a token from before the only event of a subscription that fired once expires when that is forgotten",
    // More than a piece of the retention.
    arguments: [1, 700]
  )
  func once(count: Int) throws {
    let store = try FeedStore()
    try store.addChannel(1, head: 0)
    try store.addChannel(2, head: 0)
    let before = try store.feed().page().changeToken
    try store.write {
      for number in 1...count {
        try store.add(.init(channel: 1, name: "once\(number)", since: 0, ended: 1))
      }
      try store.add(.init(channel: 1, sequence: 1, committed: 1, body: [1]))
    }
    let after = try store.feed().page().changeToken
    try store.write {
      for number in 1...5 {
        try store.add(.init(channel: 2, sequence: Int64(number), committed: 1, body: [2]))
      }
    }
    #expect(try !expires(store, before))
    try forget(store)
    #expect(try store.numbers("SELECT count(*) FROM subscriptions") == [0])
    #expect(try expires(store, before))
    // What is forgotten of others does not matter.
    #expect(try !expires(store, after))
  }

  @Test(
    "a subscription that ends when its last event is forgotten already takes no token's loss along"
  )
  func endedLater() throws {
    let store = try FeedStore()
    try store.addChannel(1, head: 0)
    try store.addChannel(2, head: 0)
    let before = try store.feed().page().changeToken
    try store.write {
      try store.add(.init(channel: 1, name: "long", since: 0, ended: nil))
      try store.add(.init(channel: 1, sequence: 1, committed: 1, body: [1]))
    }
    let after = try store.feed().page().changeToken
    try store.write {
      for number in 1...3 {
        try store.add(.init(channel: 2, sequence: Int64(number), committed: 1, body: [2]))
      }
    }
    try forget(store)
    #expect(try expires(store, before))
    try store.execute("UPDATE subscriptions SET ended = 1")
    #expect(try expires(store, before))
    // Others go on with the channel, and the walk over ended subscriptions comes late.
    try store.write {
      for number in 2...3 {
        try store.add(.init(channel: 1, sequence: Int64(number), committed: 1, body: [1]))
      }
    }
    try forget(store)
    #expect(try expires(store, before))
    #expect(try !expires(store, after))
  }

  @Test("a subscription without events takes none")
  func empty() throws {
    let store = try FeedStore()
    try store.addChannel(1, head: 1)
    let before = try store.feed().page().changeToken
    try store.write {
      try store.add(.init(channel: 1, name: "short", since: 1, ended: 1))
      for number in 1...3 {
        try store.add(.init(channel: 1, sequence: Int64(number), committed: 1, body: [1]))
      }
    }
    try forget(store)
    #expect(try store.numbers("SELECT count(*) FROM subscriptions") == [0])
    #expect(try !expires(store, before))
  }
}
