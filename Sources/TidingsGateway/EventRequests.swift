internal import TidingsHTTP
internal import TidingsJSON
internal import TidingsProto
internal import TidingsRPC
internal import TidingsWeb

/// Opens streams of server-sent events.
struct EventRequests: Sendable {
  let transport: any ClientTransport
  let hub: EventHub
  let streams: OpenStreams
  let tracing: RequestTracing?

  /// So much of a stream may wait for its client to read.
  private static let pendingBytesMax = 1 << 20

  func answer(
    _ request: HTTPRequest,
    _ database: WebDatabase,
    of caller: WebCaller
  ) throws -> HTTPResponse {
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
    var token: [UInt8] = []
    if let text = request.head.header("last-event-id") ?? query["lastEventId"] {
      guard let bytes = Base64.decode(text) else {
        throw WebFailure.badRequest("Last-Event-ID is not the ID of an event")
      }
      token = bytes
    }
    guard let entry = streams.open() else { throw WebFailure.tooManyStreams }
    let stream = HTTPStream(pendingBytesMax: Self.pendingBytesMax)
    let session = EventSession(
      notifications: .init(transport),
      hub: hub,
      database: database,
      options: CallOptions(metadata: caller.metadata(device: query["clientId"])),
      stream: stream,
      tracing: tracing,
      token: token,
      skipsStored: token.isEmpty && query["from"] == "now"
    )
    Task(executorPreference: stream.executor) {
      var session = session
      await session.run()
      withExtendedLifetime(entry) {}
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
}

extension WebFailure {
  /// No more streams and polls are opened for now.
  static let tooManyStreams = WebFailure(
    .throttled,
    "too many streams are open: try again later",
    retryAfter: 5
  )
}
