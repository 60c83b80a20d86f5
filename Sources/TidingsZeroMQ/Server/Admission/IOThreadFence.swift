internal import CZeroMQ
internal import Glibc

/// Waits until libzmq's I/O thread is done with what it does at the moment.
///
/// With CURVE, libzmq asks whether to admit a connection before it has read the properties that the
/// peer sent along. An answer that came so fast would be overwritten by them, the routing id included.
/// The context has one I/O thread, and a message between two sockets that are connected through the
/// system passes through it: when it has arrived, the thread has left the function in which it asked.
struct IOThreadFence: ~Copyable {
  private let near: Socket
  private let far: Socket
  private var count: UInt64 = 0
  private var frames = FrameSet()
  private var descriptors: [pollfd]

  /// How long the thread may take.
  private static let patience = Duration.seconds(60)

  init(_ context: Context) throws(TransportError) {
    precondition(context.ioThreads == 1, "with several I/O threads a message does not pass all")
    let near = try Socket(context, kind: ZMQ_PAIR)
    let far = try Socket(context, kind: ZMQ_PAIR)
    try near.set(ZMQ_LINGER, CInt(0))
    try far.set(ZMQ_LINGER, CInt(0))
    try far.connect(try near.bindPrivately())
    let descriptor = try near.descriptor()
    self.near = near
    self.far = far
    descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
  }

  /// Returns when the I/O thread has finished what it was doing.
  mutating func pass() throws(TransportError) {
    count += 1
    let expected = withUnsafeBytes(of: count) { Array($0) }
    guard expected.withUnsafeBytes({ far.send($0) }) == .sent else {
      throw TransportError("libzmq's I/O thread cannot be reached")
    }
    let deadline = ContinuousClock.now.advanced(by: Self.patience)
    while true {
      while try frames.receive(from: near) {
        if frames[0].elementsEqual(expected) { return }
      }
      guard .now < deadline else {
        throw TransportError("libzmq's I/O thread did not answer within \(Self.patience)")
      }
      wait(for: &descriptors, until: deadline)
    }
  }
}
