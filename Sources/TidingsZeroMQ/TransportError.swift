internal import CZeroMQ

/// A failure of a socket.
public struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// An `errno` of the system or of libzmq.
  public let code: CInt
  /// What failed and why.
  public let message: String

  /// An endpoint that the security settings forbid, a malformed endpoint and the like.
  init(code: CInt = EINVAL, _ message: String) {
    self.code = code
    self.message = message
  }

  /// A failure that libzmq reports for an operation; to be made straight after it.
  init(errnoOf operation: String) {
    let code = zmq_errno()
    let reason = zmq_strerror(code).map { String(cString: $0) } ?? "error \(code)"
    self.init(code: code, "\(operation): \(reason)")
  }

  /// Somebody else listens at the endpoint.
  public var isAddressInUse: Bool { code == EADDRINUSE }

  /// The process may open no further connection for now.
  public var isOutOfDescriptors: Bool { code == EMFILE }

  /// What failed and why.
  public var description: String { message }
}
