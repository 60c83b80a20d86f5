import CheckCore
import Testing

@Suite struct PatienceTests {
  /// Reads pages with these tokens, one after the other.
  ///
  /// - Returns: How many, if one was the last.
  private func read(
    _ tokens: [Int],
    patience duration: Duration = .seconds(600),
    endsAfter last: Int? = nil,
    _ outcome: Call.Outcome = .ok
  ) async throws -> Int {
    var patience = Patience(duration)
    var count = 0
    try await patience.readToEnd(of: "the feed", pagesMax: 20) {
      var page = Call(.page, "follower/z")
      page.outcome = outcome
      page.token = "\(tokens[min(count, tokens.count - 1)])"
      count += 1
      page.nextToken = "\(tokens[min(count, tokens.count - 1)])"
      page.isLast = count == last
      return page
    }
    return count
  }

  @Test("pages are read until the last one")
  func end() async throws {
    #expect(try await read(Array(0...5), endsAfter: 5) == 5)
    // A token that stays where it is may still come to its end.
    #expect(try await read([0], endsAfter: 5) == 5)
  }

  @Test("a feed that always has one more page has no end")
  func endless() async {
    await #expect(throws: CheckError.self) { try await read(Array(0...100)) }
    await #expect(throws: CheckError.self) { try await read([0]) }
  }

  @Test("a feed that was not read when patience ends is not read to its end")
  func over() async {
    await #expect(throws: CheckError.self) {
      try await read([0], patience: .zero, endsAfter: 1)
    }
    await #expect(throws: CheckError.self) {
      try await read([0], patience: .milliseconds(1), .unknown)
    }
  }
}
