public import TidingsProto
internal import TidingsProtobuf
public import TidingsRPC
internal import TidingsZeroMQ

/// A user's notifications, from the log and then as they come.
///
/// Iterate with one task. The iteration works only while its consumer waits: one that is slow reads
/// fewer pushes, takes more from the log instead, and loses nothing.
public struct NotificationStream: AsyncSequence, Sendable {
  /// A notification.
  public typealias Element = TidingsV1.Notification
  /// Fails with errors that retrying does not fix, for example an expired token (OUT_OF_RANGE).
  public typealias Failure = RPCError

  /// What becomes of the connection while a stream goes on.
  public enum Connection: Hashable, Sendable {
    /// The server could not be reached for a second, for this reason, or cannot be for another reason than before; it is
    /// tried again until it can.
    case lost(RPCError)
    /// There is a connection, but answers do not come in time; smaller ones are asked for until they do.
    case slow(RPCError)
    /// It was lost or slow and is there again; what was missed comes from the log.
    case restored

    /// The state that an error of a call shows.
    init(failed error: RPCError) {
      self = error.code == .deadlineExceeded ? .slow(error) : .lost(error)
    }
  }

  private let client: Client
  private let token: [UInt8]
  private let onConnection: (@Sendable (Connection) -> Void)?

  init(
    _ client: Client,
    after token: [UInt8],
    onConnection: (@Sendable (Connection) -> Void)?
  ) {
    self.client = client
    self.token = token
    self.onConnection = onConnection
  }

  /// Begins an iteration.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(client, after: token, onConnection: onConnection)
  }

  /// Waits for notifications, one after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let client: Client
    private var state: InboxState
    private var pushes: SubscriberConnection?
    private var events: SubscriberConnection.Events.AsyncIterator?
    private var pushEndpoint = ""
    private var backoff = Backoff()
    private let onConnection: (@Sendable (Connection) -> Void)?
    /// Why the server cannot be reached, as reported.
    private var loss: String?
    /// How long it waits for a connection before it says why there is none.
    private static let patience = Duration.seconds(1)
    private let stop: StreamStop?

    fileprivate init(
      _ client: Client,
      after token: [UInt8],
      onConnection: (@Sendable (Connection) -> Void)?
    ) {
      self.client = client
      self.onConnection = onConnection
      state = InboxState(token: token, container: Self.container(of: client))
      stop = nil
    }

    /// Continues exactly where another stood, until it is stopped.
    init(
      _ client: Client,
      from progress: InboxProgress,
      until stop: StreamStop,
      onConnection: (@Sendable (Connection) -> Void)?
    ) {
      self.client = client
      self.onConnection = onConnection
      state = InboxState(progress: progress, container: Self.container(of: client))
      self.stop = stop
    }

    private static func container(of client: Client) -> TidingsV1.DatabaseID {
      .init(
        container: client.configuration.container,
        environment: client.configuration.environment
      )
    }

    /// Where to continue exactly after what was handed out.
    var progress: InboxProgress { state.progress }

    /// Where to continue: a stream that begins here misses nothing, and may repeat some of the last
    /// notifications, those of a page that is not yielded to its end and those that were pushed.
    public var changeToken: [UInt8] { state.resumeToken }

    /// Waits for the next notification.
    ///
    /// - Returns: The notification; `nil` when the task is cancelled.
    public mutating func next() async throws(RPCError) -> TidingsV1.Notification? {
      try await next(isolation: #isolation)
    }

    /// Waits for the next notification.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(RPCError)
      -> TidingsV1.Notification?
    {
      while !Task.isCancelled, stop?.isStopped != true {
        if let notification = state.popReady() { return notification }
        do {
          try await perform(state.nextAction)
          backoff.reset()
        } catch {
          guard error.isWorthRepeating else {
            if Task.isCancelled { return nil }
            throw error
          }
          noteLoss(error)
          try? await Task.sleep(for: backoff.next())
        }
      }
      return nil
    }

    private mutating func noteLoss(_ error: RPCError) {
      guard loss != error.message, !Task.isCancelled else { return }
      loss = error.message
      onConnection?(Connection(failed: error))
    }

    private mutating func perform(_ action: InboxState.Action) async throws(RPCError) {
      switch action {
      case .register:
        try await client.connected(within: Self.patience)
        try await register()
      case .listen(let start, let stop):
        for topic in start { pushes?.subscribe(topic) }
        for topic in stop { pushes?.unsubscribe(topic) }
        state.listened()
      case .fetch:
        try await client.connected(within: Self.patience)
        try await fetch()
      case .wait: await wait()
      }
    }

    private mutating func register() async throws(RPCError) {
      let configuration = client.configuration
      let moveCount = client.moves.count
      let response = try await client.notifications.registerDevice(
        .init(container: configuration.container, environment: configuration.environment)
      )
      if response.pushEndpoint != pushEndpoint {
        try await connect(to: response.pushEndpoint, moveCount)
      }
      state.registered(response)
    }

    private mutating func connect(
      to endpoint: String,
      _ moveCount: Int
    ) async throws(RPCError) {
      if let pushes { await pushes.close() }
      do {
        let connection = try await SubscriberConnection(
          endpoint: endpoint,
          security: client.configuration.security,
          isOneOfSeveral: client.configuration.endpoints.count > 1,
          tick: client.configuration.reconcileInterval
        )
        stop?.watch(connection)
        client.moves.report(to: connection, since: moveCount)
        events = connection.events.makeAsyncIterator()
        pushes = connection
      } catch {
        throw RPCError(
          .unavailable,
          "cannot listen to the push endpoint '\(endpoint)': \(error)",
          cause: error
        )
      }
      pushEndpoint = endpoint
      state.connectionReplaced()
    }

    private mutating func fetch() async throws(RPCError) {
      let configuration = client.configuration
      let token = state.token
      // Without a token there are no read marks: a first page of one notification is never fetched
      // again once something of it was handed out.
      let asked: UInt32 = stop != nil && token.isEmpty ? 1 : 0
      let notifications = client.notifications
      let page = try await client.pageLimits.page(of: asked) { limit throws(RPCError) in
        try await notifications.fetchNotificationChanges(
          .init(
            container: configuration.container,
            environment: configuration.environment,
            changeToken: token,
            limit: limit
          )
        )
      }
      state.fetched(page)
      stop?.fetched(state.progress)
      if loss != nil { onConnection?(.restored) }
      loss = nil
    }

    private mutating func wait() async {
      switch await events?.next() {
      case .message(let topic, let body):
        if let push = try? TidingsV1.Push(decoding: body) {
          state.pushed(topic, push)
        } else {
          state.mayHaveMissed()
        }
      case .connected, .lost, .tick: state.reconnected()
      case .disconnected:
        noteLoss(RPCError(.unavailable, "the connection to \(pushEndpoint) was lost"))
      case nil:
        // The connection ended by itself: make another.
        pushEndpoint = ""
        state.reconnected()
      }
    }
  }
}
