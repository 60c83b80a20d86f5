internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

/// Notifications as a careless client takes them: the log once, and then whatever is pushed.
struct PushesAlone {
  private let client: Client

  init(_ client: Client) { self.client = client }

  func follow(_ hear: @MainActor (TidingsV1.Notification) -> Void) async throws {
    let device = try await client.notifications.registerDevice(.init())
    let pushes = try await SubscriberConnection(
      endpoint: device.pushEndpoint,
      security: .development,
      tick: nil
    )
    for topic in [device.controlTopic] + device.channels.map(\.topic) { pushes.subscribe(topic) }
    let page = try await client.notifications.fetchNotificationChanges(.init())
    for notification in page.notifications { await hear(notification) }
    for await event in pushes.events {
      guard case .message(let topic, let body) = event,
        let channel = device.channels.first(where: { $0.topic == topic }),
        let push = try? TidingsV1.Push(decoding: body),
        case .notification(let notification) = PushContent(push, of: channel)
      else { continue }
      await hear(notification)
    }
  }
}
