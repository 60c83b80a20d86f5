public import TidingsRPC

/// Which server a client calls, and how patient it is.
public struct ConnectionConfiguration: Sendable {
  /// The server's endpoint, for example `tcp://127.0.0.1:5570`, or those of several nodes that serve one
  /// database.
  ///
  /// The first one that connects is used until it is lost or drains; then the next one of the list is tried.
  public var endpoints: [String]
  /// How the two sides prove who they are: `development` or `curveClient`.
  public var security: Security
  /// How long calls wait for a connection, to whichever endpoint, before they fail UNAVAILABLE.
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
  /// The span that a call is a part of, asked for with each call that names none itself; `nil`: there is none.
  public var traceContext: (@Sendable () -> TraceContext?)?
  /// Called after the connection has moved to another endpoint, by its thread; must not wait.
  public var onMove: (@Sendable () -> Void)?

  /// A configuration with the default limits.
  public init(endpoint: String, metadata: Metadata = Metadata()) {
    self.init(endpoints: [endpoint], metadata: metadata)
  }

  /// A configuration with the default limits, for a server of several nodes.
  public init(endpoints: [String], metadata: Metadata = Metadata()) {
    self.endpoints = endpoints
    self.metadata = metadata
    security = .development
    connectTimeout = .seconds(10)
    timeout = .seconds(10)
    retry = RetryPolicy()
    frameBytesMax = WireLimits.frameBytesMax
    callsInFlightMax = 10_000
  }
}
