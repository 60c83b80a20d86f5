internal import CZeroMQ

/// One connection of a client: a DEALER socket and its events.
///
/// A lost connection takes its socket with it. libzmq would make the connection again by itself,
/// and send requests later that were already reported as failed. ZMQ_IMMEDIATE is no way out: with it
/// libzmq 4.3.4 throws away answers that had arrived before the loss and were not read yet, and ends
/// the process if one of them was read in part (socket_base_t::hiccuped, fq_t::recvpipe).
struct ClientLink: ~Copyable {
  let socket: Socket
  var monitor: ConnectionMonitor

  /// Starts connecting to one of the endpoints of the configuration.
  ///
  /// - Parameters:
  ///   - configuration: Limits and keys.
  ///   - route: The endpoint.
  ///   - context: Of the socket.
  ///   - timeout: After this long without an answer the attempt fails by itself; `nil`: its owner sees to that.
  /// - Throws: When the endpoint is malformed, or the process out of resources.
  init(
    _ configuration: ConnectionConfiguration,
    by route: Route,
    context: Context,
    timeout: Duration? = nil
  ) throws(TransportError) {
    try Descriptors.check()
    let endpoint = Endpoint(route.endpoint)
    let socket = try Socket(context, kind: ZMQ_DEALER)
    try socket.configure(
      for: endpoint,
      frameBytesMax: configuration.frameBytesMax + SocketLimits.frameBytesSlack,
      queueMax: SocketLimits.rpcQueueMax,
      heartbeat: configuration.endpoints.count > 1 ? .quick : .usual
    )
    if route.usesIPv6 { try socket.useIPv6() }
    try socket.secure(configuration.security)
    try socket.configureConnecting()
    if let timeout {
      try socket.set(ZMQ_CONNECT_TIMEOUT, CInt(clamping: max(1, timeout.wholeMilliseconds)))
    }
    let monitor = try ConnectionMonitor(socket, to: endpoint, context: context)
    try socket.connect(endpoint.text)
    self.socket = socket
    self.monitor = monitor
  }

  /// What the thread waits for: the socket and its events.
  func descriptors() throws(TransportError) -> (socket: CInt, events: CInt) {
    (try socket.descriptor(), monitor.descriptor)
  }

  /// Drops what was not sent yet together with the socket.
  consuming func abandon() { discardUnsent() }

  /// Closing the socket will drop what was not sent yet.
  func discardUnsent() {
    // Can fail only for a socket that is closed already.
    try? socket.set(ZMQ_LINGER, CInt(0))
  }
}
