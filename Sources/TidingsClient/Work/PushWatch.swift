internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

/// Rings when something was published for the user, and when something may have been missed.
///
/// What was published is not looked at: the server knows who of a group is to get it.
struct PushWatch: Sendable {
  let client: Client
  let signal: WorkSignal

  /// Works until the task is cancelled.
  func run() async {
    var listener = Listener()
    var backoff = Backoff()
    while !Task.isCancelled {
      do {
        try await register(&listener)
        backoff.reset()
      } catch {
        // What the server rejects here it also rejects for the calls that fetch work, which report it.
        try? await Task.sleep(for: error.isWorthRepeating ? backoff.next() : Backoff.longest)
        continue
      }
      signal.raise()
      while !Task.isCancelled, await !heard(&listener) {}
    }
    await listener.connection?.close()
  }

  private struct Listener {
    var connection: SubscriberConnection?
    var events: SubscriberConnection.Events.AsyncIterator?
    var endpoint = ""
    var controlTopic: [UInt8] = []
    var topics: Set<[UInt8]> = []
  }

  private func register(_ listener: inout Listener) async throws(RPCError) {
    let configuration = client.configuration
    let moveCount = client.moves.count
    let response = try await client.notifications.registerDevice(
      .init(container: configuration.container, environment: configuration.environment)
    )
    if response.pushEndpoint != listener.endpoint {
      await listener.connection?.close()
      listener = Listener()
      do {
        let connection = try await SubscriberConnection(
          endpoint: response.pushEndpoint,
          security: configuration.security,
          isOneOfSeveral: configuration.endpoints.count > 1,
          tick: configuration.reconcileInterval
        )
        client.moves.report(to: connection, since: moveCount)
        listener.events = connection.events.makeAsyncIterator()
        listener.connection = connection
      } catch {
        throw RPCError(
          .unavailable,
          "cannot listen to the push endpoint '\(response.pushEndpoint)': \(error)",
          cause: error
        )
      }
      listener.endpoint = response.pushEndpoint
    }
    listener.controlTopic = response.controlTopic
    let topics = Set(response.channels.map(\.topic)).union([response.controlTopic])
    for topic in topics.subtracting(listener.topics) { listener.connection?.subscribe(topic) }
    for topic in listener.topics.subtracting(topics) { listener.connection?.unsubscribe(topic) }
    listener.topics = topics
  }

  /// - Returns: The channels may have changed: register again.
  private func heard(_ listener: inout Listener) async -> Bool {
    switch await listener.events?.next() {
    case .message(let topic, let body):
      if topic == listener.controlTopic {
        guard let push = try? TidingsV1.Push(decoding: body) else { return true }
        if push.content == .workReleased(true) { signal.raise() }
        return push.content == .channelsChanged(true)
      }
      signal.raise()
      return false
    case .disconnected: return false
    case .connected, .lost, .tick: return true
    case nil:
      listener.endpoint = ""
      return true
    }
  }
}
