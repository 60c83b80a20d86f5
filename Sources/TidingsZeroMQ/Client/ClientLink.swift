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
  init(
    _ configuration: ConnectionConfiguration,
    to endpoint: String,
    context: Context
  ) throws(TransportError) {
    let endpoint = Endpoint(endpoint)
    let socket = try Socket(context, kind: ZMQ_DEALER)
    try socket.configure(
      for: endpoint,
      frameBytesMax: configuration.frameBytesMax + SocketLimits.frameBytesSlack,
      queueMax: SocketLimits.rpcQueueMax,
      heartbeat: configuration.endpoints.count > 1 ? .quick : .usual
    )
    try socket.secure(configuration.security)
    try socket.configureReconnecting(timeout: configuration.connectTimeout)
    let monitor = try ConnectionMonitor(socket, context: context)
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
