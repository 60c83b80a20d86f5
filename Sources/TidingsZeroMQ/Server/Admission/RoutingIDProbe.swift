internal import CZMTPFilter
internal import CZeroMQ
internal import Glibc

/// Makes sure that connections have the routing ids that they are assigned, and not those that they
/// claim.
///
/// Who can claim an id is sent the answers of its owner, so a mistake here would show in nothing else.
enum RoutingIDProbe {
  /// How long a connection may take.
  private static let patience = Duration.seconds(60)

  /// Connects with an id of its own to a socket like the server's.
  ///
  /// - Parameters:
  ///   - context: The server's.
  ///   - security: The server's.
  ///   - client: Of a client that is admitted.
  /// - Throws: When the connection has the id that it claims, or the outcome cannot be learnt.
  static func check(
    _ context: Context,
    _ security: Security,
    client: Security
  ) throws(TransportError) {
    let claim = ConnectionNumber(UInt64.random(in: 1 << 47..<1 << 48)).routingID
    let changes = tidings_zmtp_filter_changes()
    let server = try Socket(context, kind: ZMQ_ROUTER)
    try server.set(ZMQ_LINGER, CInt(0))
    try server.secure(security)
    try server.configureListening()
    let endpoint = try server.bindPrivately(hidesIdentities: security.hidesIdentities)
    let peer = try Socket(try Context(), kind: ZMQ_DEALER)
    try peer.set(ZMQ_LINGER, CInt(0))
    try peer.secure(client)
    try peer.set(ZMQ_ROUTING_ID, claim)
    try peer.connect(endpoint)
    _ = claim.withUnsafeBytes { peer.send($0) }
    var frames = FrameSet()
    var descriptors = [
      pollfd(fd: try server.descriptor(), events: Int16(POLLIN), revents: 0)
    ]
    let deadline = ContinuousClock.now.advanced(by: patience)
    while try !frames.receive(from: server) {
      guard .now < deadline else {
        throw TransportError("a connection to rpcd's own socket took longer than \(patience)")
      }
      wait(for: &descriptors, until: deadline)
    }
    let isHidden = !security.hidesIdentities || tidings_zmtp_filter_changes() > changes
    guard isHidden, !frames[0].elementsEqual(claim), ConnectionNumber(routingID: frames[0]) != nil
    else {
      throw TransportError(
        "a connection took the routing id that it claims, so answers could reach others than the "
          + "caller: link the program so that libzmq calls the recv, listen and accept4 of CZMTPFilter"
      )
    }
  }
}
