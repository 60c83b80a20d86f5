internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsModel
internal import TidingsSQL

@testable internal import TidingsEngine

@Suite struct ChangeTokenTests {
  private func identity() throws -> StoreIdentity {
    let connection = try TestDatabase().connect()
    try connection.migrate(Migration.store)
    return try StoreIdentity(connection)
  }

  @Test("positions of any size come back; the same positions have the same bytes")
  func roundTrip() throws {
    let seed = Seed.make("ChangeToken")
    var random = SplitMix64(seed: seed)
    let identity = try identity()
    for _ in 0..<500 {
      let token = ChangeToken(
        event: Int64(bitPattern: random.next() >> UInt64(1 + random.below(63))),
        mark: Int64(random.below(1 << 40))
      )
      let bytes = token.encoded(feed: "f", identity: identity)
      let read = try ChangeToken(bytes, feed: "f", identity: identity)
      #expect(read == token, "seed \(seed)")
      #expect(read.encoded(feed: "f", identity: identity) == bytes)
    }
  }

  @Test("another feed, another store, and any changed bit are refused")
  func refused() throws {
    let (identity, other) = (try identity(), try identity())
    let token = ChangeToken(event: 300, mark: 70_000)
    let bytes = token.encoded(feed: "mine", identity: identity)
    func code(_ bytes: [UInt8], _ feed: String, _ identity: StoreIdentity) -> ItemError.Code? {
      do {
        _ = try ChangeToken(bytes, feed: feed, identity: identity)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code(bytes, "mine", identity) == nil)
    #expect(code(bytes, "yours", identity) == .invalidArguments)
    #expect(code(bytes, "mine", other) == .changeTokenExpired)
    for index in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << bit
        #expect(code(changed, "mine", identity) != nil)
      }
      #expect(code(Array(bytes[..<index]), "mine", identity) != nil)
    }
  }

  @Test("the printed form of a notification's name is read back, and nothing else is")
  func notificationID() {
    let id = NotificationID(channel: 12, sequence: 345)
    #expect(NotificationID(id.description) == id && id.description == "12-345")
    for text in [
      "", "-", "1-", "-1", "1-2-3", "0-1", "1-0", "a-1", "1--1", "99999999999999999999-1",
    ] {
      #expect(NotificationID(text) == nil, "\(text)")
    }
  }
}
