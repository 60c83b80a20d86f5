internal import CZeroMQ
internal import TidingsRPC

/// The connection to the server to which calls are forwarded: one DEALER socket.
///
/// It is given up with its first failure; whoever needs another one makes it.
final class Upstream {
  /// What became of the connection.
  enum Change {
    case connected
    /// It was lost, or not made.
    case ended(RPCError)
  }

  let endpoint: String
  private let hasKeys: Bool
  private var link: ClientLink
  private var frames = FrameSet()
  private(set) var isConnected = false
  /// Something was sent since the answers were last found to be all taken.
  private var hasSent = false
  /// The descriptors were not looked at since the connection was begun.
  private var isNew = true

  init(
    _ route: Route,
    _ configuration: ConnectionConfiguration,
    _ context: Context
  ) throws(TransportError) {
    endpoint = route.endpoint
    if case .development = configuration.security { hasKeys = false } else { hasKeys = true }
    link = try ClientLink(
      configuration,
      by: route,
      context: context,
      timeout: configuration.connectTimeout
    )
  }

  deinit { link.discardUnsent() }

  /// What the loop waits for: the socket, and the events of its connection.
  func descriptors() throws(TransportError) -> (socket: CInt, events: CInt) {
    try link.descriptors()
  }

  /// What became of the connection since this was asked last.
  func nextChange() throws(TransportError) -> Change? {
    isNew = false
    while let event = try link.monitor.next() {
      switch event {
      case .connected:
        isConnected = true
        return .connected
      case .disconnected:
        return .ended(RPCError(.unavailable, "the connection to \(endpoint) was lost"))
      case .failed(let failure): return .ended(failure.error(at: endpoint, hasKeys: hasKeys))
      case .connecting, .accepted: continue
      }
    }
    return nil
  }

  /// Whether there may be answers, or changes.
  var mayHaveMore: Bool { isNew || (hasSent && link.socket.events() & ZMQ_POLLIN != 0) }

  /// Takes the answers that are there, and lends the frames of each.
  ///
  /// - Returns: How many there were.
  func receive(
    _ body: (_ header: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) -> Void
  ) throws(TransportError) -> Int {
    hasSent = false
    var count = 0
    while count < Self.answersPerTurnMax, try frames.receive(from: link.socket) {
      count += 1
      if frames.count >= 2 { body(frames[frames.count - 2], frames[frames.count - 1]) }
      frames.clear()
    }
    // The descriptor does not show what is left.
    if count == Self.answersPerTurnMax { hasSent = true }
    return count
  }

  /// Sends a request.
  ///
  /// - Returns: `false`: libzmq's queue is full.
  func send(_ header: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) -> Bool {
    hasSent = true
    return link.socket.send(header, more: true) == .sent && link.socket.send(body) == .sent
  }

  /// So that clients have their turns too.
  private static let answersPerTurnMax = 1_024
}
