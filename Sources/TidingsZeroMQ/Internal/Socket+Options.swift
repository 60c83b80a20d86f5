internal import CZeroMQ
internal import TidingsKeys

extension Socket {
  /// What every socket of ours has: bounds, heartbeats, and a short linger.
  ///
  /// - Parameters:
  ///   - endpoint: Where it is going to be bound or connected.
  ///   - frameBytesMax: A peer that sends a larger frame is disconnected.
  ///   - queueMax: Most messages queued per peer and direction.
  ///   - heartbeat: How soon a silent peer is gone.
  /// - Throws: When libzmq refuses an option.
  func configure(
    for endpoint: Endpoint,
    frameBytesMax: Int,
    queueMax: Int,
    heartbeat: Heartbeat = .usual
  ) throws(TransportError) {
    try set(ZMQ_MAXMSGSIZE, Int64(frameBytesMax))
    try set(ZMQ_SNDHWM, CInt(clamping: queueMax))
    try set(ZMQ_RCVHWM, CInt(clamping: queueMax))
    try set(ZMQ_LINGER, SocketLimits.lingerMilliseconds)
    if endpoint.isIPv6 { try useIPv6() }
    try set(ZMQ_HEARTBEAT_IVL, heartbeat.intervalMilliseconds)
    try set(ZMQ_HEARTBEAT_TIMEOUT, heartbeat.timeoutMilliseconds)
    try set(ZMQ_HEARTBEAT_TTL, SocketLimits.heartbeatTTLMilliseconds)
  }

  /// How peers prove who they are.
  func secure(_ security: Security) throws(TransportError) {
    switch security {
    case .development: break
    case .curveServer(let pair, _):
      try set(ZMQ_CURVE_SERVER, CInt(1))
      try set(ZMQ_CURVE_SECRETKEY, pair.secretKey)
    case .curveClient(let keys):
      try set(ZMQ_CURVE_SERVERKEY, keys.server.bytes)
      try set(ZMQ_CURVE_PUBLICKEY, keys.pair.publicKey.bytes)
      try set(ZMQ_CURVE_SECRETKEY, keys.pair.secretKey)
    }
  }

  /// How a server's socket treats those that connect and have not said who they are.
  ///
  /// With a domain libzmq asks who is admitted also without CURVE, and refuses peers that speak the
  /// versions of ZMTP before 3, which have no such question.
  func configureListening() throws(TransportError) {
    try set(ZMQ_ZAP_DOMAIN, Array("tidings".utf8))
    try set(ZMQ_HANDSHAKE_IVL, SocketLimits.handshakeMilliseconds)
    try set(ZMQ_TCP_MAXRT, SocketLimits.unreadMillisecondsMax)
    try set(ZMQ_BACKLOG, SocketLimits.listenBacklog)
  }

  /// Names are resolved to addresses of IPv6, where they have one.
  func useIPv6() throws(TransportError) { try set(ZMQ_IPV6, CInt(1)) }

  /// How a client's socket makes its connection: once, and its owner decides what follows.
  ///
  /// Without an interval libzmq would not report that an attempt failed.
  func configureConnecting() throws(TransportError) {
    try set(ZMQ_RECONNECT_IVL, CInt.max / 2)
    try set(ZMQ_HANDSHAKE_IVL, SocketLimits.handshakeMilliseconds)
  }
}

/// How often pings go out, and how long a peer may be silent afterwards.
struct Heartbeat {
  let intervalMilliseconds: CInt
  let timeoutMilliseconds: CInt

  /// Where the only thing to do about a silent peer is to wait for it.
  static let usual = Self(intervalMilliseconds: 10_000, timeoutMilliseconds: 10_000)
  /// Where a peer may wait until there is room for its message, and is silent meanwhile.
  static let patient = Self(intervalMilliseconds: 10_000, timeoutMilliseconds: 60_000)
  /// Where another server can be called: it is gone after 3 s at the latest.
  static let quick = Self(intervalMilliseconds: 1000, timeoutMilliseconds: 2000)
}

/// Bounds of sockets.
enum SocketLimits {
  /// How long the peer waits for us; libzmq 4.3.4 wraps around above 65 s.
  static let heartbeatTTLMilliseconds: CInt = 60_000
  /// How long a closed socket goes on sending what it was given.
  static let lingerMilliseconds: CInt = 1000
  /// How long a connection may take to be made before a client replaces it, and a server drops it.
  ///
  /// Four round trips, so a network may take 2.5 s for each: satellites and mobile networks do. How many strangers
  /// connect and say nothing is bounded by their number (`ConnectionCeiling`).
  static let handshakeMilliseconds: CInt = 10_000
  /// How long a server may take to connect and greet before a client tries the next one of its list.
  static let attemptMilliseconds = 1500
  /// The same for a long list, whose endpoints share the time that calls wait for a connection.
  static let attemptMillisecondsMin = 100
  /// How long a client may take nothing of what is waiting for it, in the system's queue, too: then
  /// the system ends the connection (TCP_USER_TIMEOUT).
  static let unreadMillisecondsMax: CInt = 60_000
  /// First pause before a connection is tried again; it doubles up to the maximum.
  static let reconnectMilliseconds: CInt = 50
  /// Longest pause before a connection is tried again.
  static let reconnectMillisecondsMax: CInt = 1000
  /// Calls and responses that a client has queued in libzmq, per direction.
  static let rpcQueueMax = 10_000
  /// Pushes queued in libzmq per subscriber; what does not fit is lost to that subscriber, who
  /// notices by the numbers and fetches.
  static let pushQueueMax = 4_000
  /// How much larger than the announced limit a frame may be before its sender is disconnected:
  /// up to here it is answered.
  static let frameBytesSlack = 1024 * 1024
  /// Connections that the system keeps for a server that has not taken them yet; fewer than the
  /// descriptors that are left when no more are taken.
  static let listenBacklog: CInt = 256
  /// Largest header frame: its limits taken together, with room for fields of newer clients.
  static let headerBytesMax = 16 * 1024
  /// Largest topic that a subscriber may send.
  static let topicBytesMax = 1024
}
