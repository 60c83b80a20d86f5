internal import TidingsClient
internal import TidingsHTTP
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC
internal import TidingsWeb

/// Opens streams of server-sent events.
struct EventRequests: Sendable {
  let transport: any ClientTransport
  let hub: EventHub
  let handles: SessionHandles
  let slots: Slots
  let tracing: RequestTracing?

  /// So much of a stream may wait for its client to read.
  private static let pendingBytesMax = 1 << 20

  func answer(
    _ request: HTTPRequest,
    _ database: WebDatabase,
    of caller: WebCaller,
    uuid: String
  ) async throws -> HTTPResponse {
    guard request.head.method == "GET" else {
      throw WebFailure.badRequest("events takes GET, not \(request.head.method)")
    }
    guard caller.isUser else {
      throw WebFailure(
        .authenticationRequired,
        "events are a user's: sign in, and send ckWebAuthToken"
      )
    }
    let query = QueryString(request.head.query)
    let start = try start(request, query)
    // It lasts longer than the token.
    let caller = try await handles.lasting(caller, requestID: uuid, isChecked: true)
    let account = try await TidingsV1.AccountService.Client(transport).fetchUserRecordID(
      .init(container: database.container),
      options: CallOptions(metadata: caller.metadata(requestID: uuid))
    )
    let stream = HTTPStream(pendingBytesMax: Self.pendingBytesMax)
    let slot = try slots.takeForStream(.user(account.userRecordName)) {
      stream.end(discardingUnreadOr: Self.farewell(uuid))
    }
    let session = EventSession(
      of: database.named(by: account.userRecordName),
      from: start,
      into: stream,
      .init(transport),
      CallOptions(metadata: caller.metadata(device: query["clientId"], requestID: uuid)),
      uuid: uuid,
      hub: hub,
      tracing: tracing
    )
    Task(executorPreference: stream.executor) {
      var session = session
      await session.run()
      withExtendedLifetime(slot) {}
    }
    return HTTPResponse(
      200,
      headers: [
        ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"),
        ("X-Accel-Buffering", "no"), ("X-Content-Type-Options", "nosniff"),
      ],
      .stream(stream)
    )
  }

  /// What a stream says that gives way to a new one: whoever reads it comes back, but not at once, since that would end another one.
  private static func farewell(_ uuid: String) -> [UInt8] {
    let failure = WebFailure(
      .throttled,
      "a newer stream of the user has taken the place of this one, which was the oldest",
      retryAfter: 30
    )
    return Array("retry: 30000\n".utf8)
      + EventText.event("error", failure.json(uuid: uuid))
  }

  private func start(
    _ request: HTTPRequest,
    _ query: QueryString
  ) throws -> EventSession.Start {
    guard let text = request.head.header("last-event-id") ?? query["lastEventId"], !text.isEmpty
    else {
      return query["from"] == "now" ? .now : .position(InboxProgress(token: []))
    }
    guard let progress = Base64.decode(text).flatMap({ InboxProgress(bytes: $0) }) else {
      throw WebFailure.badRequest("Last-Event-ID is not the ID of an event")
    }
    return .position(progress)
  }
}

extension Slots {
  /// Takes a slot for a stream or a poll; a stream gives way to newer ones of its user.
  func takeForStream(
    _ owner: Owner,
    giveWay: (@Sendable () -> Void)? = nil
  ) throws(WebFailure) -> Slot {
    do {
      return try take(for: owner, giveWay: giveWay)
    } catch {
      switch error {
      case .all:
        throw WebFailure(.throttled, "too many streams are open: try again later", retryAfter: 5)
      case .ofOne(let countMax):
        throw WebFailure(
          .throttled,
          "a user has at most \(countMax) streams and polls at a time, and all are polls: close one",
          retryAfter: 5
        )
      }
    }
  }
}
