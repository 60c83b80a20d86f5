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
  let tracing: RequestTracing?
  var token: [UInt8]
  /// Begin behind what is in the log already.
  var skipsStored = false

  /// How often a quiet stream says that it is alive.
  static let keepAlive = Duration.seconds(15)
  private static let pageItems: UInt32 = 100

  /// Answers until the client is gone, or the caller's access ends.
  mutating func run() async {
    let session = EventHub.Session(hub, database, notifications, options)
    stream.onClose { session.end() }
    let timer = Task { [stream] in
      while !Task.isCancelled {
        try? await Task.sleep(for: Self.keepAlive)
        if Task.isCancelled || !stream.send(Array(":\n\n".utf8)) { break }
      }
    }
    defer { timer.cancel() }
    stream.send(Array("retry: 2000\n\n".utf8))
    do {
      try await session.register()
      repeat {
        guard try await drain() else { break }
        tracing?.recordDelivery(session.takePushes())
      } while try await session.hasChanged()
    } catch {
      let failure = WebFailure(describing: error)
      stream.send(event("error", failure.json(uuid: RequestID.make()), id: nil))
    }
    stream.end()
  }

  /// Sends everything that is in the log behind the token.
  ///
  /// - Returns: `false`: nobody reads it.
  private mutating func drain() async throws -> Bool {
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
      guard await stream.sendWhenRead(events(of: page, isNew: isNew)) else { return false }
      if !page.moreComing { return true }
    }
  }

  /// A page as events; a client that is slow gets the next one when it has read this one.
  private func events(
    of page: TidingsV1.FetchNotificationChangesResponse,
    isNew: Bool
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, notification) in page.notifications.enumerated() {
      let isLast = index == page.notifications.count - 1
      let name = notification.type == .readNotification ? "read" : "notification"
      // Only behind the last one nothing of the page is missing.
      bytes += event(name, json(notification), id: isLast ? page.changeToken : nil)
    }
    if let badge = page.badgeValue, !page.notifications.isEmpty {
      bytes += event("badge", ["badge": .integer(badge)], id: nil)
    }
    // What the caller's own device caused is passed by, too.
    if isNew, page.notifications.isEmpty {
      bytes += "id: \(Base64.encode(page.changeToken))\n\n".utf8
    }
    return bytes
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
