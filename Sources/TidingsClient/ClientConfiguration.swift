public import TidingsKeys
public import TidingsProto
public import TidingsRPC
public import TidingsZeroMQ

/// Which server a client calls, as whom, and where.
public struct ClientConfiguration: Sendable {
  /// The server's endpoint, for example `tcp://127.0.0.1:5570`, or those of several nodes that serve one
  /// database.
  ///
  /// The first one that connects is used until it is lost or drains; then the next one of the list is tried.
  public var endpoints: [String]
  /// The keys to connect with; `nil`: the server is in development mode.
  public var keys: ClientKeys?
  /// The user that calls (development mode); empty: nobody, or whose key it is.
  public var user = ""
  /// This installation of the client: it gets no notifications of its own changes; empty: none.
  public var device = ""
  /// The container; empty: `default`.
  public var container = ""
  /// The environment.
  public var environment = TidingsV1.Environment.development
  /// How long a call may take; `nil`: no limit.
  public var timeout: Duration? = .seconds(10)
  /// How long calls wait for a connection, to whichever endpoint, before they fail UNAVAILABLE.
  public var connectTimeout = Duration.seconds(10)
  /// How often a call is sent again whose repetition does no harm, while its time allows.
  public var retryCountMax = 4
  /// Sees each call's frames as they are sent and received; `nil`: nobody looks.
  public var observer: FrameObserver?
  /// The span that a call is a part of, asked for on the caller's thread with each call whose options name none.
  ///
  /// The server continues its trace: see `CallOptions.trace`. `nil`: calls are not part of a trace.
  public var traceContext: (@Sendable () -> TraceContext?)?
  /// How often a notification stream looks at the log though nothing was pushed.
  public var reconcileInterval = Duration.seconds(60)

  /// A configuration with the defaults.
  public init(endpoint: String = "tcp://127.0.0.1:5570") { endpoints = [endpoint] }

  /// A configuration with the defaults, for a server of several nodes.
  public init(endpoints: [String]) { self.endpoints = endpoints }

  /// Returns the endpoints in a text with commas between them, as in variables and options.
  ///
  /// Nothing is checked: a list that cannot be used is reported when the client is made.
  public static func endpoints(in text: String) -> [String] { EndpointList.split(text) }

  /// Returns what is wrong with a list of endpoints, in a sentence; `nil` if a client can use it.
  public static func problem(in endpoints: [String]) -> String? {
    EndpointList.problem(in: endpoints)
  }

  /// How its sockets prove who they are.
  package var security: Security { keys.map { .curveClient($0) } ?? .development }
}
