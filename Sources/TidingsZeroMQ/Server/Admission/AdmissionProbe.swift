internal import CZeroMQ
internal import Glibc
internal import TidingsKeys

/// Makes sure that a server refuses keys that nobody knows.
///
/// libzmq admits everybody when its question finds nobody, so a mistake here would show in nothing
/// else.
enum AdmissionProbe {
  /// How long a refusal may take.
  private static let patience = Duration.seconds(60)

  /// Connects with a key that is not admitted.
  ///
  /// - Throws: Unless it is refused.
  static func check(
    _ endpoint: Endpoint,
    _ kind: CInt,
    _ keys: ClientKeys
  ) throws(TransportError) {
    let context = try Context()
    let socket = try Socket(context, kind: kind)
    try socket.set(ZMQ_LINGER, CInt(0))
    if endpoint.isIPv6 { try socket.useIPv6() }
    try socket.secure(.curveClient(keys))
    var monitor = try ConnectionMonitor(socket, to: endpoint, context: context)
    try socket.connect(endpoint.reachable)
    var descriptors = [pollfd(fd: monitor.descriptor, events: Int16(POLLIN), revents: 0)]
    let deadline = ContinuousClock.now.advanced(by: patience)
    while .now < deadline {
      switch try monitor.next() {
      case .failed(.keyRefused): return
      case .connected:
        throw TransportError("\(endpoint.text) admits unknown keys: the server must not start")
      case nil: wait(for: &descriptors, until: deadline)
      default: continue
      }
    }
    throw TransportError(
      "\(endpoint.text) did not answer a connection with an unknown key within \(patience), so it is "
        + "not certain that it refuses them"
    )
  }
}
