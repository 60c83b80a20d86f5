internal import Testing
internal import TidingsRPC

@testable import TidingsService

/// A client may be slow, and not hold up a backup without end.
@Suite struct ReaderPatienceTests {
  @Test("who takes a message a second goes on, who takes one a minute is ended")
  func slow() throws {
    var patience = ReaderPatience()
    for _ in 0..<10_000 { try patience.took(128 << 10, after: .seconds(1)) }
    var other = ReaderPatience()
    var count = 0
    #expect(throws: RPCError.self) {
      while count < 10 {
        count += 1
        try other.took(128 << 10, after: .seconds(59))
      }
    }
    #expect(count == 2)
  }

  @Test("a client that was fast may rest for a while")
  func rest() throws {
    var patience = ReaderPatience()
    for _ in 0..<1_000 { try patience.took(128 << 10, after: .zero) }
    try patience.took(1, after: .seconds(600))
  }
}
