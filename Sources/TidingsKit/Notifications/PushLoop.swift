internal import Foundation
internal import TidingsClient
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC
internal import TidingsUserInfo

/// Takes notifications from the log and the push socket, and hands them over one after another.
struct PushLoop: Sendable {
  private let container: CKContainer
  private let addressee: PushAddressee
  private let positionFile: URL?

  init(_ container: CKContainer, _ addressee: PushAddressee, positionFile: URL?) {
    self.container = container
    self.addressee = addressee
    self.positionFile = positionFile
  }

  /// Runs until the task is cancelled, the delegate is gone, or something fails for good.
  func run() async {
    do {
      let client = try await container.link.client()
      let user = try await persistently { try await container.userRecordID() }.recordName
      var end = LogEnd(client)
      let inbox = try await open(client, &end)
      addressee.tell { $0.containerDidRegisterForRemoteNotifications($1) }
      let failure: (any Error)?
      do {
        try await handOver(inbox, for: user, &end)
        failure = nil
      } catch {
        failure = error
      }
      await inbox.close()
      if let failure { throw failure }
    } catch {
      guard !Task.isCancelled else { return }
      let error = (error as? InboxError).map { CKError($0) } ?? CKError(wrapping: error)
      container.link.learn(error)
      addressee.tell {
        $0.container($1, didFailToRegisterForRemoteNotificationsWithError: error)
      }
    }
  }

  /// What is to be handed over: from where the file says, or from now on.
  private func open(_ client: Client, _ end: inout LogEnd) async throws -> NotificationInbox {
    var options = NotificationInbox.Options()
    options.includesReadNotifications = false
    options.restartsWhenExpired = true
    options.onEvent = { [addressee] event in
      if case .restarted = event {
        addressee.tell { $0.containerDidMissRemoteNotifications($1) }
      }
    }
    let isNew = positionFile.map { !FileManager.default.fileExists(atPath: $0.path) } ?? true
    if isNew {
      options.firstToken = try await persistently {
        try await end.advance()
        return end.token
      }
    }
    guard let positionFile else { return try client.notificationInbox(from: nil, options: options) }
    let inbox = try client.notificationInbox(at: positionFile.path, options: options)
    // The next registration continues here, even if nothing is handed over in this one.
    if isNew { try await inbox.commit() }
    return inbox
  }

  private func handOver(
    _ inbox: NotificationInbox,
    for user: String,
    _ end: inout LogEnd
  ) async throws {
    for try await item in inbox {
      var badge: UInt32?
      if item.notification.notificationInfo?.shouldBadge == true {
        // A push without its badge is better than none.
        badge = try? await end.badge(of: item.notification.notificationID)
      }
      let push = UserInfo(item.notification, for: user, badge: badge).json
      guard await addressee.hand(push) else { return }
      try await inbox.commit(upTo: item)
    }
  }

  private static let pauseMax = Duration.seconds(10)

  /// Does something again until the server can be reached.
  private func persistently<Value>(_ body: () async throws -> Value) async throws -> Value {
    var pause = Duration.milliseconds(100)
    while true {
      do {
        return try await body()
      } catch {
        guard CKError(wrapping: error).isTransient else { throw error }
        try await Task.sleep(for: pause)
        pause = min(pause * 2, Self.pauseMax)
      }
    }
  }
}

/// The end of the user's log, and the badges of the notifications up to there.
struct LogEnd: Sendable {
  /// Most badges that are kept until their notifications are handed over.
  private static let badgesMax = 10_000

  private let client: Client
  /// Where the log ended when it was last looked at.
  private(set) var token: [UInt8] = []
  private var badges: [String: UInt32] = [:]

  init(_ client: Client) { self.client = client }

  /// The badge when a notification was stored; `nil`: it is not known any more.
  mutating func badge(of notificationID: String) async throws -> UInt32? {
    if badges[notificationID] == nil { try await advance(readingBadges: true) }
    return badges.removeValue(forKey: notificationID)
  }

  /// Goes to the end.
  mutating func advance(readingBadges: Bool = false) async throws {
    while true {
      let page: TidingsV1.FetchNotificationChangesResponse
      do {
        page = try await client.pageLimits.notificationChanges(
          .init(
            container: client.configuration.container,
            environment: client.configuration.environment,
            changeToken: token,
            omitsReadNotifications: true,
            wantsUserInfo: readingBadges
          ),
          client,
          CallOptions()
        )
      } catch {
        let error = CKError(wrapping: error)
        guard error.code == .changeTokenExpired, !token.isEmpty else { throw error }
        token = []
        continue
      }
      token = page.changeToken
      if readingBadges {
        for notification in page.notifications { keepBadge(of: notification) }
      }
      if !page.moreComing { return }
    }
  }

  private mutating func keepBadge(of notification: TidingsV1.Notification) {
    guard badges.count < Self.badgesMax,
      let info = try? JSONValue(parsing: notification.userInfoJson),
      let number = info.object?["aps"]?.object?["badge"]?.number,
      let badge = number.exactly(UInt32.self)
    else { return }
    badges[notification.notificationID] = badge
  }
}

extension CKError {
  /// Why pushes cannot be handed over.
  init(_ error: InboxError) {
    switch error {
    case .call(let error): self.init(error)
    case .changeTokenExpired: self.init(.changeTokenExpired, error.description)
    default: self.init(.invalidArguments, error.description)
    }
  }
}
