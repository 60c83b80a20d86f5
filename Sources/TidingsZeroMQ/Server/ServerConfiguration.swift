public import TidingsMemory
internal import TidingsRPC

/// Where a server listens, and its limits.
public struct ServerConfiguration: Sendable {
  /// Where calls go: `tcp://127.0.0.1:5570`, `ipc://path`; port 0 picks a free port.
  public var endpoint: String
  /// Where published messages come from; `nil`: nowhere.
  public var pushEndpoint: String?
  /// The push endpoint that clients get; `nil`: the bound one.
  ///
  /// Another one than that when a proxy or a translation of addresses is between.
  public var advertisedPushEndpoint: String?
  /// Where the server can be reached with another key too; `nil`: nowhere.
  public var second: SecondKey?
  /// Who may connect.
  public var security: Security
  /// Largest frame in bytes.
  ///
  /// Larger ones are answered RESOURCE_EXHAUSTED, and their sender is
  /// disconnected when they are larger by more than 1 MiB.
  public var frameBytesMax: Int
  /// What may be held for clients, and what one call may take in decoded form.
  ///
  /// glibc keeps what is freed of large frames; a program that is to give it back sets `M_MMAP_THRESHOLD` and
  /// `M_ARENA_MAX` (mallopt(3)) when it begins.
  public var memory = MemoryShares()
  /// Most calls that run as tasks at once.
  public var callsInFlightMax: Int
  /// Most calls of one caller that run as tasks at once.
  public var callsPerCallerInFlightMax: Int
  /// Most messages handled in one turn, so that a turn's end is never far.
  public var requestsPerTurnMax: Int
  /// How long requests are handled in one turn, the last one begun included in part.
  ///
  /// More than that waits in queues, one for each caller, from which callers have their turns.
  public var turnHandlingMax: Duration
  /// Most requests of one caller that wait in its queue; more are answered RESOURCE_EXHAUSTED.
  public var requestsWaitingPerCallerMax: Int
  /// Most messages that libzmq keeps for a client that does not read.
  ///
  /// After that answers wait in
  /// the server, and the client begins no further call until it has read them.
  public var repliesQueuedMax: Int
  /// How long a stream may stand without credit.
  public var creditStallMax: Duration
  /// For how long calls are refused, at least, before the sockets are closed: clients that know other nodes go there, and no
  /// call of theirs is lost on its way.
  public var refusalPeriod = Duration.zero

  /// A configuration with the default limits.
  public init(endpoint: String, pushEndpoint: String? = nil, security: Security = .development) {
    self.endpoint = endpoint
    self.pushEndpoint = pushEndpoint
    self.security = security
    frameBytesMax = WireLimits.frameBytesMax
    callsInFlightMax = WireLimits.callsInFlightMax
    callsPerCallerInFlightMax = WireLimits.callsInFlightMax / 4
    requestsPerTurnMax = 256
    turnHandlingMax = .milliseconds(3)
    requestsWaitingPerCallerMax = 16_384
    repliesQueuedMax = 10_000
    creditStallMax = WireLimits.creditStallMax
  }
}
