internal import Synchronization
internal import TidingsHTTP
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC
internal import TidingsUserInfo
internal import TidingsWeb

/// One stream of server-sent events: the caller's notifications from a token on, and then as they come.
///
/// Each event carries the token behind it as its `id`, so that a browser that connects again goes on there.
struct EventSession {
  let notifications: TidingsV1.NotificationService.Client
  let hub: EventHub
  let database: WebDatabase
  let options: CallOptions
  let stream: HTTPStream
  var token: [UInt8]
  /// Begin behind what is in the log already.
  var skipsStored = false

  /// How often a quiet stream says that it is alive.
  static let keepAlive = Duration.seconds(15)
  private static let pageItems: UInt32 = 100

  /// Answers until the client is gone, or the caller's access ends.
  mutating func run() async {
    let (signals, continuation) = AsyncStream.makeStream(
      of: EventHub.Signal.self,
      bufferingPolicy: .bufferingNewest(2)
    )
    let hasWork = Mutex(EventHub.Signal?.none)
    let session = hub.add { signal in
      // A change of channels is not forgotten for a change of content.
      hasWork.withLock { pending in if pending != .channels { pending = signal } }
      continuation.yield(signal)
    }
    defer { hub.remove(session) }
    stream.onClose { continuation.finish() }
    let timer = Task { [stream] in
      while !Task.isCancelled {
        try? await Task.sleep(for: Self.keepAlive)
        if Task.isCancelled || !stream.send(Array(":\n\n".utf8)) { break }
      }
    }
    defer { timer.cancel() }
    stream.send(Array("retry: 2000\n\n".utf8))
    do {
      try await register(session)
      try await drain()
      for await _ in signals {
        let signal = hasWork.withLock { $0.take() }
        guard let signal else { continue }
        if signal == .channels { try await register(session) }
        guard try await drain() else { break }
      }
    } catch {
      let failure = WebFailure(describing: error)
      stream.send(event("error", failure.json(uuid: RequestID.make()), id: nil))
    }
    stream.end()
  }

  private func register(_ session: Int) async throws {
    let answer = try await notifications.registerDevice(
      .init(container: database.container, environment: database.environment),
      options: options
    )
    try await hub.listen(
      session,
      to: Set(answer.channels.map(\.topic) + [answer.controlTopic]),
      at: answer.pushEndpoint
    )
  }

  /// Sends everything that is in the log behind the token.
  ///
  /// - Returns: `false`: nobody reads it.
  @discardableResult private mutating func drain() async throws -> Bool {
    while true {
      let page = try await notifications.fetchNotificationChanges(
        .init(
          container: database.container,
          environment: database.environment,
          changeToken: token,
          limit: Self.pageItems,
          wantsUserInfo: true,
          wantsBadge: true
        ),
        options: options
      )
      let isNew = page.changeToken != token
      token = page.changeToken
      if skipsStored {
        if page.moreComing { continue }
        skipsStored = false
        return stream.send(Array("id: \(Base64.encode(token))\n\n".utf8))
      }
      for (index, notification) in page.notifications.enumerated() {
        let isLast = index == page.notifications.count - 1
        let name = notification.type == .readNotification ? "read" : "notification"
        // Only behind the last one nothing of the page is missing.
        guard stream.send(event(name, json(notification), id: isLast ? token : nil)) else {
          return false
        }
      }
      if let badge = page.badgeValue, !page.notifications.isEmpty {
        guard stream.send(event("badge", ["badge": .integer(badge)], id: nil)) else { return false }
      }
      if isNew, page.notifications.isEmpty {
        // What others caused is passed by, too.
        guard stream.send(Array("id: \(Base64.encode(token))\n\n".utf8)) else { return false }
      }
      if !page.moreComing { return true }
    }
  }

  private func json(_ notification: TidingsV1.Notification) -> JSONObject {
    guard notification.type != .readNotification else {
      return ["nid": .string(notification.notificationID)]
    }
    guard !notification.userInfoJson.isEmpty,
      let object = (try? JSONValue(parsing: notification.userInfoJson))?.object
    else { return ["nid": .string(notification.notificationID)] }
    return object
  }

  private func event(_ name: String, _ data: JSONObject, id: [UInt8]?) -> [UInt8] {
    var text = "event: \(name)\n"
    if let id { text += "id: \(Base64.encode(id))\n" }
    return Array(text.utf8) + Array("data: ".utf8) + JSONValue.object(data).text()
      + Array("\n\n".utf8)
  }
}
