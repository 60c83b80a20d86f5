public import TidingsClient
public import TidingsProto

/// Reads a notification stream on a task of its own, and keeps what it yields.
public final class Collector: Sendable {
  public let seen = Observed<[TidingsV1.Notification]>([])
  private let reader: Task<Void, any Error>

  public init(_ client: Client, after token: [UInt8] = []) {
    reader = Task { [seen] in
      for try await notification in client.notificationStream(after: token) {
        seen.update { $0.append(notification) }
      }
    }
  }

  deinit { reader.cancel() }

  /// Waits for so many notifications.
  @discardableResult
  public func wait(for count: Int) async throws -> [TidingsV1.Notification] {
    try await seen.wait("\(count) notifications") { $0.count >= count }
  }

  /// Ends the reading; throws what the stream threw.
  public func stop() async throws {
    reader.cancel()
    try await reader.value
  }
}
