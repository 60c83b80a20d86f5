internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

/// Follows a user's notifications until the runner stops it.
@MainActor
final class InboxReader {
  private let client: Client
  private let inbox: NotificationInbox
  private var reader: Task<Void, Never>?
  private var failure: String?
  private var arrived: [(notification: TidingsV1.Notification, position: InboxPosition)] = []
  private var position: InboxPosition

  init(_ configuration: ClientConfiguration, position: [UInt8]) async throws {
    let start = position.isEmpty ? nil : try InboxPosition(bytes: position)
    client = try await Client(configuration)
    inbox = try client.notificationInbox(from: start)
    self.position = inbox.committedPosition
    reader = Task { [weak self, inbox, client] in
      do {
        guard Fault.current != .ignoresLog else {
          try await PushesAlone(client).follow { self?.hear($0, inbox.committedPosition) }
          return
        }
        for try await item in inbox { self?.hear(item.notification, item.position) }
      } catch {
        self?.failure = "\(error)"
      }
    }
  }

  private func hear(_ notification: TidingsV1.Notification, _ position: InboxPosition) {
    arrived.append((notification, position))
    if Fault.current == .repeatsNotifications, arrived.count % 2 == 0 {
      arrived.append((notification, position))
    }
  }

  /// Waits for notifications.
  func take(_ task: TidingsConformanceV1.TakeNotifications) async -> Subject.Outcome {
    let deadline = ContinuousClock.now + .milliseconds(task.timeoutMs)
    while arrived.count < Int(task.count), failure == nil, ContinuousClock.now < deadline {
      try? await Task.sleep(for: .milliseconds(5))
    }
    if arrived.isEmpty, let failure { return .refused(failure) }
    let taken = arrived.prefix(max(Int(task.count), 1))
    arrived.removeFirst(taken.count)
    if let last = taken.last { position = last.position }
    return .notifications(.init(notifications: taken.map { $0.notification.encoded() }))
  }

  /// Ends it.
  ///
  /// - Returns: The place after what was taken.
  func stop() async -> [UInt8] {
    reader?.cancel()
    await inbox.close()
    await reader?.value
    await client.close()
    return position.bytes
  }
}
