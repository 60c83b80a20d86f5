internal import TidingsClient
internal import TidingsHTTP
internal import TidingsProto
internal import TidingsRPC
internal import TidingsWeb

/// One stream of server-sent events: the caller's notifications from a position on, and then as they come.
///
/// A push that follows on what was sent is sent as it is; everything else comes from the log (`InboxState`).
/// Events carry the position behind them as their `id`, so that a browser that connects again goes on there.
struct EventSession {
  private let notifications: TidingsV1.NotificationService.Client
  private let database: WebDatabase
  private let options: CallOptions
  /// Of the request that opened the stream.
  private let uuid: String
  private let stream: HTTPStream
  private let tracing: RequestTracing?
  private let start: Start

  private let text: EventText
  private let session: EventHub.Session
  private var inbox: InboxState
  /// Where a client stands that has read everything.
  private var sent: InboxProgress
  private var badge: Badge
  private var topics: Set<[UInt8]> = []
  private var registration: EventHub.Session.Registration?
  /// Of pushes whose notifications are sent with what is sent next.
  private var traces: [ReceivedTrace] = []

  /// Where a stream begins.
  enum Start {
    /// Behind what another stream has sent; empty: with the oldest notification that is retained.
    case position(InboxProgress)
    /// Behind what is in the log already.
    case now
  }

  private struct Badge {
    /// What it was when the log was read last.
    private var value: UInt32?
    private var isSent = true
    private var hasNotifications = false
    /// The client may know an earlier value.
    private let isResumed: Bool

    init(isResumed: Bool) { self.isResumed = isResumed }

    mutating func read(_ page: TidingsV1.FetchNotificationChangesResponse) {
      hasNotifications = hasNotifications || !page.notifications.isEmpty
      guard let value = page.badgeValue, value != self.value else { return }
      // What it was before anything happened is no event.
      isSent = self.value == nil && !hasNotifications && !isResumed
      self.value = value
    }

    /// The badge, if it is to be sent.
    mutating func take() -> UInt32? {
      defer { isSent = true }
      return isSent ? nil : value
    }
  }

  /// How often a quiet stream says that it is alive.
  static let keepAlive = Duration.seconds(15)
  private static let pageItems: UInt32 = 100
  /// Notifications that are sent together; a client that is slow gets the next ones when it has read these.
  private static let itemsTogether = 32
  /// No more are added to so many bytes.
  private static let bytesTogether = 256 << 10
  /// A position goes into a header, which has to stay short.
  private static let itemsBeyondMax = 32

  init(
    of database: WebDatabase,
    from start: Start,
    into stream: HTTPStream,
    _ notifications: TidingsV1.NotificationService.Client,
    _ options: CallOptions,
    uuid: String,
    hub: EventHub,
    tracing: RequestTracing?
  ) {
    (self.notifications, self.database) = (notifications, database)
    (self.options, self.uuid) = (options, uuid)
    (self.stream, self.tracing) = (stream, tracing)
    self.start = start
    text = EventText(user: database.user ?? "")
    session = EventHub.Session(hub, database, notifications, options)
    sent = if case .position(let progress) = start { progress } else { InboxProgress(token: []) }
    badge = Badge(isResumed: !sent.token.isEmpty)
    inbox = Self.inbox(from: sent, database)
  }

  private static func inbox(from progress: InboxProgress, _ database: WebDatabase) -> InboxState {
    InboxState(
      progress: progress,
      container: .init(container: database.container, environment: database.environment),
      itemsBeyondMax: itemsBeyondMax,
      takesBadges: true
    )
  }

  /// Answers until the client is gone, or the caller's access ends.
  mutating func run() async {
    stream.onClose { [session] in session.end() }
    let timer = Task { [stream] in
      while !Task.isCancelled {
        try? await Task.sleep(for: Self.keepAlive)
        if Task.isCancelled || !stream.sendIfQuiet(Array(":\n\n".utf8)) { break }
      }
    }
    defer { timer.cancel() }
    stream.send(Array("retry: 2000\n\n".utf8))
    do {
      if case .now = start { try await skipStored() }
      while try await step() {}
    } catch {
      let failure = WebFailure(describing: error)
      stream.send(EventText.event("error", failure.json(uuid: uuid)))
    }
    stream.end()
  }

  /// Does what is next.
  ///
  /// - Returns: `false`: nobody reads it.
  private mutating func step() async throws -> Bool {
    switch inbox.nextAction {
    // Before anything is sent: the caller's access may have ended.
    case .register:
      let answer = try await session.channels()
      registration = answer
      inbox.registered(answer.answer)
      // The endpoint may be another one, with the same topics.
      try await session.listen(to: topics, as: answer)
    case .listen(let start, let stop):
      topics = topics.union(start).subtracting(stop)
      if let registration { try await session.listen(to: topics, as: registration) }
      inbox.listened()
    case .fetch:
      guard await sendReady() else { return false }
      let page = try await fetch(after: inbox.token)
      badge.read(page)
      inbox.fetched(page)
    case .wait:
      guard await sendReady() else { return false }
      // What these pushes announced was read from the log before they were looked at.
      recordTraces()
      guard let arrivals = await session.next() else { return false }
      traces = arrivals.traces
      for signal in arrivals.signals { note(signal) }
    }
    return true
  }

  private mutating func note(_ signal: EventHub.Signal) {
    switch signal {
    case .pushed(let topic, let push, _): inbox.pushed(topic, push)
    case .mayHaveMissed: inbox.mayHaveMissed()
    case .reconnected: inbox.reconnected()
    }
  }

  /// Sends what the inbox hands out, and where a client stands then.
  ///
  /// - Returns: `false`: nobody reads it.
  private mutating func sendReady() async -> Bool {
    var (isLast, hasSent) = (false, false)
    while !isLast {
      let (ready, isAll) = takeReady()
      isLast = isAll
      let position = inbox.progress == sent ? nil : inbox.progress
      let bytes = text.events(ready, badge: isLast ? badge.take() : nil, behind: position)
      sent = inbox.progress
      guard !bytes.isEmpty else { continue }
      guard await stream.sendWhenRead(bytes) else { return false }
      hasSent = true
    }
    if hasSent { recordTraces() }
    return true
  }

  /// Takes what is sent together.
  ///
  /// - Returns: What it is, and whether there was nothing more.
  private mutating func takeReady() -> ([EventText.Event], isAll: Bool) {
    var (ready, bytes): ([EventText.Event], Int) = ([], 0)
    while ready.count < Self.itemsTogether, bytes < Self.bytesTogether {
      guard let notification = inbox.popReady() else { return (ready, true) }
      let event = text.event(notification)
      bytes += event.byteCount
      ready.append(event)
    }
    return (ready, false)
  }

  private mutating func recordTraces() {
    guard !traces.isEmpty else { return }
    tracing?.recordDelivery(traces)
    traces = []
  }

  /// Moves to the end of the log.
  private mutating func skipStored() async throws {
    var page: TidingsV1.FetchNotificationChangesResponse
    var token: [UInt8] = []
    repeat {
      page = try await fetch(after: token)
      token = page.changeToken
    } while page.moreComing
    inbox = Self.inbox(from: InboxProgress(token: token), database)
  }

  private func fetch(
    after token: [UInt8]
  ) async throws -> TidingsV1.FetchNotificationChangesResponse {
    try await notifications.fetchNotificationChanges(
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
  }
}
