/// The frames of a message between a client and its server: an encoded header, and what follows it.
public enum ObservedFrames: Hashable, Sendable {
  /// A `tidings.rpc.v1.RequestHeader` and the request.
  case sent([UInt8], [UInt8])
  /// A `tidings.rpc.v1.ResponseHeader` and the response.
  case received([UInt8], [UInt8])
}

/// Sees what a connection sends and receives; called in order while the connection waits, so that it must not.
public typealias FrameObserver = @Sendable (ObservedFrames) -> Void
