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
    /// Something was published on one of its topics, of so many bytes.
    case pushed(topic: [UInt8], TidingsV1.Push, bytes: Int)
    /// Something may have been published that did not arrive.
    case mayHaveMissed
    /// The channels may be others now, or are published elsewhere.
    case reconnected
  }

  private struct Listener: Sendable {
    var notify: @Sendable (Signal) -> Void
    var end: @Sendable () -> Void
  }

  private struct State {
    /// Where pushes come from; it is being connected to, or is connected.
    var location: Location?
    var socket: SubscriberConnection?
    /// By topic: the sessions, and the newest number that was announced.
    var topics: [[UInt8]: (listeners: [Int: Listener], newest: UInt64)] = [:]
    var sessions: [Int: (topics: Set<[UInt8]>, listener: Listener)] = [:]
    var nextSession = 0
    var isClosing = false
    var registrationCount: UInt64 = 0
    var tickCount = 0
    /// The last socket that receives nothing any more.
    var ended: UInt64?
  }

  /// An endpoint, as a server named it.
  private struct Location: Sendable {
    var endpoint: String
    /// The registration that named it: an earlier one does not lead away from it.
    var registration: UInt64
    /// Identifies the socket.
    var number: UInt64
    var connecting: Task<SubscriberConnection, any Error>
  }

  /// How often sessions look at the log though nothing was published, and every second time at their channels.
  private static let tick = Duration.seconds(30)

  private static let pauseAfterEnd = Duration.seconds(1)

  private let state = Mutex(State())
  private let configuration: ClientConfiguration

  init(_ configuration: ClientConfiguration) { self.configuration = configuration }

  /// Adds a session; it is notified of nothing before `listen`.
  ///
  /// - Parameters:
  ///   - notify: Informs it of a signal.
  ///   - end: Ends it when the hub is about to close; at once, if it is.
  /// - Returns: The session's number.
  func add(
    _ notify: @escaping @Sendable (Signal) -> Void,
    end: @escaping @Sendable () -> Void
  ) -> Int {
    let (number, isClosing) = state.withLock { state in
      defer { state.nextSession += 1 }
      state.sessions[state.nextSession] = ([], Listener(notify: notify, end: end))
      return (state.nextSession, state.isClosing)
    }
    if isClosing { end() }
    return number
  }

  /// Ends all sessions: nobody waits for a signal any more.
  func endSessions() {
    let listeners = state.withLock { state in
      state.isClosing = true
      return state.sessions.values.map(\.listener)
    }
    for listener in listeners { listener.end() }
  }

  /// A session is about to ask where pushes come from.
  ///
  /// - Returns: For `listen`, with the answer.
  func beginRegistration() -> UInt64 {
    state.withLock { state in
      state.registrationCount += 1
      return state.registrationCount
    }
  }

  /// A session is notified of pushes on these topics from now on.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - topics: All of its topics.
  ///   - endpoint: Where they are published, as the answer to a registration says.
  ///   - registration: The registration: what a later one said holds.
  /// - Throws: `RPCError` if the push endpoint cannot be used.
  func listen(
    _ session: Int,
    to topics: Set<[UInt8]>,
    at endpoint: String,
    _ registration: UInt64
  ) async throws {
    try await connect(to: endpoint, registration)
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

  /// Makes all sessions ask again where pushes come from.
  func registerAgain() { tellAll(.reconnected) }

  private func tellAll(_ signal: Signal) {
    let listeners = state.withLock { $0.sessions.values.map(\.listener) }
    for listener in listeners { listener.notify(signal) }
  }

  // MARK: The socket

  /// Waits until there is a connection to an endpoint, or to one that a later registration named.
  private func connect(to endpoint: String, _ registration: UInt64) async throws {
    let (location, previous) = state.withLock { state -> (Location, Location?) in
      if var location = state.location,
        location.endpoint == endpoint || location.registration > registration
      {
        location.registration = max(location.registration, registration)
        state.location = location
        return (location, nil)
      }
      let location = Location(
        endpoint: endpoint,
        registration: registration,
        number: registration,
        connecting: Task { [weak self] in
          guard let self else { throw CancellationError() }
          return try await makeSocket(endpoint, number: registration)
        }
      )
      defer { state.location = location }
      return (location, state.location)
    }
    do {
      _ = try await location.connecting.value
    } catch {
      goBack(to: previous, from: location)
      throw RPCError(
        .unavailable,
        "the push endpoint \(location.endpoint) cannot be used: \(error)"
      )
    }
  }

  /// An endpoint cannot be used: the socket that was there, if there was one, still receives.
  private func goBack(to previous: Location?, from location: Location) {
    let (wasCurrent, hasSocket) = state.withLock { state in
      guard state.location?.number == location.number else { return (false, false) }
      state.location = previous?.number == state.ended ? nil : previous
      return (true, state.location != nil)
    }
    guard wasCurrent else { return }
    // What that socket received meanwhile was ignored.
    if hasSocket { tellAll(.mayHaveMissed) } else { registerAgainSoon() }
  }

  private func makeSocket(
    _ endpoint: String,
    number: UInt64
  ) async throws -> SubscriberConnection {
    let socket = try await SubscriberConnection(
      endpoint: endpoint,
      security: configuration.security,
      isOneOfSeveral: configuration.endpoints.count > 1,
      tick: Self.tick,
      onEnd: { [weak self] in self?.ended(number) },
      receive: { [weak self] event in self?.handle(event, from: number) }
    )
    let old = state.withLock { state -> SubscriberConnection? in
      // The hub was closed, or is to listen elsewhere meanwhile.
      guard state.location?.number == number else { return socket }
      for topic in state.topics.keys { socket.subscribe(topic) }
      defer { state.socket = socket }
      return state.socket
    }
    await old?.close()
    return socket
  }

  /// A socket receives nothing any more: sessions ask again where pushes come from, and there is another.
  private func ended(_ number: UInt64) {
    let isCurrent = state.withLock { state in
      state.ended = number
      guard state.location?.number == number else { return false }
      state.location = nil
      return true
    }
    if isCurrent { registerAgainSoon() }
  }

  /// After a pause: the next socket might end at once, too.
  private func registerAgainSoon() {
    Task { [weak self] in
      try? await Task.sleep(for: Self.pauseAfterEnd)
      self?.registerAgain()
    }
  }

  /// On the socket's thread.
  private func handle(_ event: SubscriberConnection.Event, from number: UInt64) {
    guard state.withLock({ $0.location?.number == number }) else { return }
    switch event {
    // Another node may publish elsewhere, and what was lost may have been that channels changed.
    case .connected, .disconnected, .lost: tellAll(.reconnected)
    case .tick:
      let count = state.withLock { state in
        state.tickCount += 1
        return state.tickCount
      }
      tellAll(count.isMultiple(of: 2) ? .reconnected : .mayHaveMissed)
    case .message(let topic, let body): received(body, on: topic)
    }
  }

  private func received(_ body: [UInt8], on topic: [UInt8]) {
    let push = try? TidingsV1.Push(decoding: body)
    let listeners = state.withLock { state -> [Listener] in
      guard let known = state.topics[topic] else { return [] }
      guard let push else { return Array(known.listeners.values) }
      // A beacon repeats what was announced.
      if push.content == nil, push.sequenceNumber > 0, push.sequenceNumber <= known.newest {
        return []
      }
      state.topics[topic]?.newest = max(known.newest, push.sequenceNumber)
      return Array(known.listeners.values)
    }
    let signal = push.map { Signal.pushed(topic: topic, $0, bytes: body.count) } ?? .mayHaveMissed
    for listener in listeners { listener.notify(signal) }
  }

  /// Closes the socket.
  func close() async {
    let socket = state.withLock { state in
      state.location = nil
      return state.socket.take()
    }
    await socket?.close()
  }
}
