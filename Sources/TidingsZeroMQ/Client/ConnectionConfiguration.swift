public import TidingsRPC

/// Which server a client calls, and how patient it is.
public struct ConnectionConfiguration: Sendable {
  /// The server's endpoint, for example `tcp://127.0.0.1:5570`.
  public var endpoint: String
  /// How the two sides prove who they are: `development` or `curveClient`.
  public var security: Security
  /// How long calls wait for a connection before they fail UNAVAILABLE.
  public var connectTimeout: Duration
  /// The default deadline of unary calls; `nil`: none.
  public var timeout: Duration?
  /// Sent with every call; a call's own metadata replaces entries of the same key.
  public var metadata: Metadata
  /// How safe calls are repeated.
  public var retry: RetryPolicy
  /// Largest frame that is sent or taken, in bytes.
  public var frameBytesMax: Int
  /// Most calls that wait for an answer at once.
  public var callsInFlightMax: Int
  /// Sees each call's frames as they are sent and received; `nil`: nobody looks.
  public var observer: FrameObserver?

  /// A configuration with the default limits.
  public init(endpoint: String, metadata: Metadata = Metadata()) {
    self.endpoint = endpoint
    self.metadata = metadata
    security = .development
    connectTimeout = .seconds(3)
    timeout = .seconds(10)
    retry = RetryPolicy()
    frameBytesMax = WireLimits.frameBytesMax
    callsInFlightMax = 10_000
  }
}
