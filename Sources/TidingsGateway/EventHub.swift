internal import Synchronization
internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

/// Receives pushes for all users with one socket, and hands them to those whom they concern.
final class EventHub: Sendable {
  /// What a session is notified of.
  enum Signal: Sendable {
    /// Something was published on one of its topics.
    case pushed(topic: [UInt8], TidingsV1.Push)
    /// Something may have been published that did not arrive.
    case mayHaveMissed
    /// There is another connection, perhaps to another node.
    case reconnected
  }

  private struct Listener: Sendable {
    var notify: @Sendable (Signal) -> Void
  }

  private struct State {
    var endpoint = ""
    var socket: SubscriberConnection?
    /// By topic: the sessions, and the newest number that was announced.
    var topics: [[UInt8]: (listeners: [Int: Listener], newest: UInt64)] = [:]
    var sessions: [Int: (topics: Set<[UInt8]>, listener: Listener)] = [:]
    var nextSession = 0
  }

  private let state = Mutex(State())
  private let configuration: ClientConfiguration

  init(_ configuration: ClientConfiguration) { self.configuration = configuration }

  /// Adds a session; it is notified of nothing before `listen`.
  func add(_ notify: @escaping @Sendable (Signal) -> Void) -> Int {
    state.withLock { state in
      defer { state.nextSession += 1 }
      state.sessions[state.nextSession] = ([], Listener(notify: notify))
      return state.nextSession
    }
  }

  /// A session is notified of pushes on these topics from now on.
  ///
  /// - Throws: `RPCError` if the push endpoint cannot be used.
  func listen(_ session: Int, to topics: Set<[UInt8]>, at endpoint: String) async throws(RPCError) {
    try await connect(to: endpoint)
    state.withLock { state in
      guard let known = state.sessions[session] else { return }
      for topic in topics.subtracting(known.topics) {
        if state.topics[topic] == nil { state.socket?.subscribe(topic) }
        state.topics[topic, default: ([:], 0)].listeners[session] = known.listener
      }
      for topic in known.topics.subtracting(topics) { Self.leave(topic, session, &state) }
      state.sessions[session]?.topics = topics
    }
  }

  func remove(_ session: Int) {
    state.withLock { state in
      guard let known = state.sessions.removeValue(forKey: session) else { return }
      for topic in known.topics { Self.leave(topic, session, &state) }
    }
  }

  private static func leave(_ topic: [UInt8], _ session: Int, _ state: inout State) {
    state.topics[topic]?.listeners[session] = nil
    guard state.topics[topic]?.listeners.isEmpty == true else { return }
    state.topics[topic] = nil
    state.socket?.unsubscribe(topic)
  }

  /// Everybody looks again.
  private func tellAll(_ signal: Signal) {
    let listeners = state.withLock { $0.sessions.values.map(\.listener) }
    for listener in listeners { listener.notify(signal) }
  }

  // MARK: The socket

  private func connect(to endpoint: String) async throws(RPCError) {
    guard state.withLock({ $0.endpoint != endpoint }) else { return }
    let socket: SubscriberConnection
    do {
      socket = try await SubscriberConnection(
        endpoint: endpoint,
        security: configuration.security,
        tick: .seconds(30)
      ) { [weak self] event in self?.handle(event) }
    } catch {
      throw RPCError(.unavailable, "the push endpoint \(endpoint) cannot be used: \(error)")
    }
    let isNeeded = state.withLock { state in
      guard state.endpoint != endpoint else { return false }
      (state.endpoint, state.socket) = (endpoint, socket)
      for topic in state.topics.keys { socket.subscribe(topic) }
      return true
    }
    if !isNeeded { await socket.close() }
  }

  /// On the socket's thread; of an earlier socket too, which does no harm.
  private func handle(_ event: SubscriberConnection.Event) {
    switch event {
    case .connected, .disconnected: tellAll(.reconnected)
    case .lost, .tick: tellAll(.mayHaveMissed)
    case .message(let topic, let body):
      guard let push = try? TidingsV1.Push(decoding: body) else { return }
      let listeners = state.withLock { state -> [Listener] in
        guard let known = state.topics[topic] else { return [] }
        // A beacon repeats what was announced.
        if push.content == nil, push.sequenceNumber <= known.newest { return [] }
        state.topics[topic]?.newest = max(known.newest, push.sequenceNumber)
        return Array(known.listeners.values)
      }
      for listener in listeners { listener.notify(.pushed(topic: topic, push)) }
    }
  }

  /// Closes the socket.
  func close() async {
    let socket = state.withLock { state in
      state.endpoint = ""
      return state.socket.take()
    }
    await socket?.close()
  }
}
