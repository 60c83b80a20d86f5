import TestSupport
import Testing
import TidingsClient
import TidingsProto

/// What all subscriptions of a user, and those of all users, take in memory.
@Suite(.serialized, .endsServers) struct SubscriptionMemoryTests {
  private static func limit(_ mebibytes: Int) -> [String] {
    ["--limit", "memory-bytes-max=\(mebibytes << 20)"]
  }

  /// Saves subscriptions with texts of 15,000 bytes, of which 17 take 6 MiB, until one is refused.
  ///
  /// - Returns: How many were saved, and the error.
  private static func fill(
    _ client: Client,
    countMax: Int
  ) async throws -> (count: Int, error: TidingsV1.ItemError?) {
    for number in 0..<countMax {
      let text = "\(number)" + String(repeating: "x", count: 15_000)
      let result = try await client.subscriptions.modifySubscriptions(
        .init(
          databaseID: .init(container: "c\(number % 12)", scope: .private),
          subscriptionsToSave: [.init("s\(number)", "Texts", where: "a = '\(text)'")]
        )
      ).results.first
      if let error = result?.error { return (number, error) }
    }
    return (countMax, nil)
  }

  @Test(
    "a user's subscriptions in many containers have a bound, and those of all users; more stored ones are loaded"
  )
  func bounds() async throws {
    let folder = try TemporaryFolder()
    let first = try await TestServer.start(in: folder, arguments: Self.limit(256))
    // 6 MiB for a user, 12 MiB for all.
    for user in ["ada", "bob"] {
      let (count, error) = try await Self.fill(first.client(as: user), countMax: 60)
      #expect(error?.code == .limitExceeded, "\(count) were saved")
      #expect(error?.message.contains("in all containers") ?? false, "\(String(describing: error))")
      #expect((15...18).contains(count), "\(count) were saved")
    }
    let (count, error) = try await Self.fill(first.client(as: "eve"), countMax: 60)
    #expect(error?.code == .limitExceeded, "\(count) were saved")
    #expect(error?.message.contains("of all users") ?? false, "\(String(describing: error))")
    #expect(try await first.stop() == .code(0))

    // 8 MiB for all, of which more is stored.
    let second = try await TestServer.start(in: folder, arguments: Self.limit(192))
    try await second.process.seen.wait("a warning") {
      $0.errors.contains("the stored subscriptions take more memory than they may")
    }
    let ada = try await second.client(as: "ada")
    #expect(
      try await Self.fill(second.client(as: "kim"), countMax: 1).error?.code == .limitExceeded
    )
    let deletion = try await ada.subscriptions.modifySubscriptions(
      .init(
        databaseID: .init(container: "c0", scope: .private),
        subscriptionIDsToDelete: ["s0", "s12"]
      )
    )
    #expect(deletion.results.allSatisfy { $0.error == nil })
  }
}
