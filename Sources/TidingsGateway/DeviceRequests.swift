internal import Synchronization
internal import TidingsHTTP
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC
internal import TidingsUserInfo
internal import TidingsWeb

/// Device tokens, and the long poll of their couriers.
///
/// A token stands for a durable work group: what its poll answers is leased, and settled when the answer was handed to
/// the network. A poll that broke off, or a gateway that was killed, loses nothing: the notification comes again.
struct DeviceRequests: Sendable {
  let transport: any ClientTransport
  let urls: SealedURLs
  let handles: SessionHandles
  let hub: EventHub
  let slots: Slots

  /// How long a poll waits for a notification.
  static let pollTime = Duration.seconds(50)
  private static let leaseSeconds: Int64 = 30
  private static let tokenSeconds = 400 * 24 * 3_600

  /// `tokens/create` and `tokens/register`.
  func answer(
    _ request: HTTPRequest,
    _ database: WebDatabase,
    register: Bool,
    caller: WebCaller,
    baseURL: String,
    uuid: String
  ) async throws -> JSONObject {
    guard caller.isUser else {
      throw WebFailure(.authenticationRequired, "a device token needs a user: sign in")
    }
    let input = try request.input()
    try input.check(register ? .registerToken : .createToken)
    let environment = try input.string("apnsEnvironment") ?? "development"
    if register {
      let token = try input.requiredString("apnsToken")
      guard let content = urls.open(token, for: .courier) else {
        throw WebFailure.badRequest(
          "apnsToken was not created here, or has expired: create another one"
        )
      }
      guard content.database.container == database.container,
        content.database.environment == database.environment
      else { throw WebFailure.badRequest("apnsToken is for another container or environment") }
      return JSONObject()
    }
    let account = try await TidingsV1.AccountService.Client(transport).fetchUserRecordID(
      .init(container: database.container),
      options: CallOptions(metadata: caller.metadata(requestID: uuid))
    )
    let content = SealedURLs.Content(
      purpose: .courier,
      database: database.named(by: account.userRecordName),
      caller: try await handles.lasting(caller, requestID: uuid),
      expires: SealedURLs.now + Self.tokenSeconds,
      group: "courier-" + (try input.string("clientId") ?? RequestID.make()).prefix(100)
    )
    // The group begins with what comes from now on. One that exists already may have something, which is not to wait.
    if let leased = try await lease(content, uuid).notifications.first {
      await settle(leased.leaseID, content, .released, uuid)
    }
    let token = urls.seal(content)
    return [
      "apnsEnvironment": .string(environment),
      "apnsToken": .string(token),
      "webcourierURL": .string("\(baseURL)/courier/\(token)"),
    ]
  }

  /// Waits for a notification: one an answer, or none.
  func poll(_ client: HTTPClient, sealed: String, uuid: String) async throws -> HTTPResponse {
    guard let content = urls.open(sealed, for: .courier) else {
      throw WebFailure(.notFound, "this courier is not valid, or has expired: create another token")
    }
    let slot = try slots.takeForStream(.init(content))
    defer { withExtendedLifetime(slot) {} }
    let leased: TidingsV1.LeasedNotification?
    do {
      leased = try await wait(for: client, content, uuid)
    } catch {
      throw WebFailure(error, of: content.caller)
    }
    guard let leased, let notification = leased.notification else {
      return HTTPResponse(200, headers: Self.headers)
    }
    let userInfo = UserInfo(notification, for: content.database.user ?? "")
    var response = HTTPResponse(200, headers: Self.headers, .bytes(userInfo.json.text()))
    response.onEnd = { isSent in
      Task { await settle(leased.leaseID, content, isSent ? .done : .released, uuid) }
    }
    return response
  }

  /// A lease that cannot be settled ends by itself, and the notification comes again.
  private func settle(
    _ leaseID: String,
    _ content: SealedURLs.Content,
    _ settlement: TidingsV1.Settlement,
    _ uuid: String
  ) async {
    _ = try? await notifications.settleNotifications(
      .init(
        container: content.database.container,
        environment: content.database.environment,
        group: content.group ?? "",
        leaseIDs: [leaseID],
        settlement: settlement
      ),
      options: options(content, uuid)
    )
  }

  private static let headers = [
    ("Content-Type", "application/json; charset=UTF-8"), ("Cache-Control", "no-store"),
  ]

  private var notifications: TidingsV1.NotificationService.Client { .init(transport) }

  private func options(_ content: SealedURLs.Content, _ uuid: String) -> CallOptions {
    CallOptions(metadata: content.caller.metadata(device: content.group, requestID: uuid))
  }

  private func lease(
    _ content: SealedURLs.Content,
    _ uuid: String
  ) async throws -> TidingsV1.LeaseNotificationsResponse {
    try await notifications.leaseNotifications(
      .init(
        container: content.database.container,
        environment: content.database.environment,
        group: content.group ?? "",
        limit: 1,
        visibilityTimeout: .init(seconds: Self.leaseSeconds),
        startsAtEnd: true
      ),
      options: options(content, uuid)
    )
  }

  private func wait(
    for client: HTTPClient,
    _ content: SealedURLs.Content,
    _ uuid: String
  ) async throws -> TidingsV1.LeasedNotification? {
    let session = EventHub.Session(hub, content.database, notifications, options(content, uuid))
    let timer = Task {
      try? await Task.sleep(for: Self.pollTime)
      session.end()
    }
    defer { timer.cancel() }
    try await session.register()
    var expiry: Task<Void, Never>?
    defer { expiry?.cancel() }
    repeat {
      // What comes is for the next poll.
      guard !client.isGone else { return nil }
      let page = try await lease(content, uuid)
      guard let leased = page.notifications.first else {
        expiry?.cancel()
        expiry = page.nextExpiry.map { look(again: session, after: $0) }
        continue
      }
      guard client.isGone else { return leased }
      await settle(leased.leaseID, content, .released, uuid)
      return nil
    } while try await session.hasChanged()
    return nil
  }

  /// What an earlier poll leased, and could not deliver, comes when that lease has ended.
  private func look(
    again session: EventHub.Session,
    after expiry: GoogleProtobuf.Duration
  ) -> Task<Void, Never> {
    Task {
      // A moment more, so that it has ended then.
      let time = Duration.seconds(expiry.seconds) + .nanoseconds(Int64(expiry.nanos))
      try? await Task.sleep(for: time + .milliseconds(20))
      if !Task.isCancelled { session.lookAgain() }
    }
  }
}
