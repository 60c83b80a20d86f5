internal import TestSupport
internal import Testing

/// The Go client, built from proto/ with Debian's libraries.
@Suite(
  .endsServers,
  .enabled(if: Example.canBuildGo, "needs what tools/install-dependencies --go installs")
)
struct GoExampleTests {
  @Test("saves, fetches, and prints error messages")
  func records() async throws { try await Example.go.value.expectRecords() }

  @Test("prints notifications, and after a restart those that were missed")
  func notifications() async throws { try await Example.go.value.expectNotifications() }
}
