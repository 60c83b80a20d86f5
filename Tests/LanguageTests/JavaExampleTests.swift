internal import TestSupport
internal import Testing

/// The Java client, built from proto/ with Debian's libraries.
@Suite(.endsServers) struct JavaExampleTests {
  @Test("saves, fetches, and prints error messages")
  func records() async throws { try await Example.java.value.expectRecords() }

  @Test("prints notifications, and after a restart those that were missed")
  func notifications() async throws { try await Example.java.value.expectNotifications() }
}
