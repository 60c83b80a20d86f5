internal import CZeroMQ
internal import Glibc

/// A libzmq context: the I/O thread that a group of sockets shares.
///
/// Dropping it waits until its sockets have sent what they had to send, within their linger time.
public final class Context: @unchecked Sendable {
  // A libzmq context may be used by all threads (zmq_ctx_new(3)).
  let handle: UnsafeMutableRawPointer
  let ioThreads: Int

  /// A context; by default with one I/O thread.
  ///
  /// - Throws: When the process has too few descriptors left, or no memory.
  public init(ioThreads: Int = 1) throws(TransportError) {
    Self.seedRandomOnce
    try Descriptors.check()
    guard let handle = zmq_ctx_new() else { throw TransportError(errnoOf: "making a context") }
    self.handle = handle
    self.ioThreads = ioThreads
    zmq_ctx_set(handle, ZMQ_IO_THREADS, CInt(ioThreads))
  }

  deinit {
    while zmq_ctx_term(handle) != 0 && zmq_errno() == EINTR {}
  }

  /// libzmq draws ROUTER's ids of its peers from `rand()` and never seeds it; ids that can be
  /// predicted let a peer take another's.
  private static let seedRandomOnce: Void = {
    srand(tidings_random())
  }()
}
