internal import CZeroMQ
internal import TidingsKeys
internal import TidingsMemory
public import TidingsProtobuf
public import TidingsRPC
internal import TidingsThreads

/// What the code on a server's loop thread works with: routes, answers, publishing, the arena.
///
/// It exists on that thread only. `RPCServer.start` lends it to a setup closure, inline handlers
/// and a `LoopDelegate` get it with each call; do not carry it to another thread.
///
/// Unchecked: what every call looks at. Each of these values is changed by functions that call nothing beyond it, on the
/// one thread that has it, so that no access to one begins while another lasts.
public final class LoopContext {
  /// Who answers a method.
  final class Route {
    enum Handler {
      case inline(InlineHandler)
      case service(any RPCService)
    }
    let method: MethodDescriptor
    let handler: Handler
    let isAnsweredWhileDraining: Bool
    /// Larger requests are refused.
    let requestBytesMax: Int
    /// The method's number in `CallMetrics`.
    let number: UInt16

    init(
      _ method: MethodDescriptor,
      _ number: UInt16,
      _ handler: Handler,
      _ requestBytesMax: Int,
      _ isAnsweredWhileDraining: Bool
    ) {
      (self.method, self.number) = (method, number)
      (self.handler, self.requestBytesMax) = (handler, requestBytesMax)
      self.isAnsweredWhileDraining = isAnsweredWhileDraining
    }
  }

  /// Largest request that handlers read on this thread.
  public static let readBytesMax = 1 << 20

  /// The limits in force.
  public let configuration: ServerConfiguration
  /// Where calls go, as bound.
  public let endpoint: String
  /// Where published messages come from, as bound.
  public let pushEndpoint: String?
  /// Where calls go with the second key, as bound.
  public let secondEndpoint: String?
  /// Where published messages come from with the second key, as bound.
  public let secondPushEndpoint: String?
  /// The memory of the call at hand; empty again after each call.
  public let arena: Arena
  /// The way to this thread from others.
  public let remote: LoopRemote
  /// When this turn began.
  @exclusivity(unchecked) public internal(set) var now = ContinuousClock.now
  /// What the loop did so far.
  @exclusivity(unchecked) public internal(set) var counters = LoopCounters()
  /// Calls that were answered.
  @exclusivity(unchecked) public internal(set) var callMetrics = CallMetrics()
  /// Calls that are followed one by one.
  @exclusivity(unchecked) public var observation = CallObservation()
  /// When this turn began, in nanoseconds of the monotonic clock.
  @exclusivity(unchecked) var turnTime: Int64 = 0
  /// When the answers that are being sent leave; 0: each has a time of its own.
  @exclusivity(unchecked) var answeringTime: Int64 = 0
  /// What threads used of a processor in this turn while the loop waited for them.
  public var waitedProcessorTime = Duration.zero
  /// Takes part in the turns, and decides who may call; without it callers are who they claim to be, and have
  /// no bounds.
  @exclusivity(unchecked) public var delegate: (any LoopDelegate)?
  /// The services that are answered, in the order of registration.
  public private(set) var services: [ServiceDescriptor] = []

  /// Connections prove who they are.
  let isCurve: Bool
  let admission: ZAPHandler
  private let context: Context
  let router: Socket
  let pushes: PushPort?
  /// What was published in this turn, and is not handed over.
  @exclusivity(unchecked) var published: [Push] = []
  @exclusivity(unchecked) var publishedBytes = 0
  let inbox: Mailbox<LoopMessage>
  @exclusivity(unchecked) var frames = FrameSet()
  @exclusivity(unchecked) var headerBuffer = ResponseHeaderBuffer()
  @exclusivity(unchecked) var routes = MethodTable<Route>()
  var calls: ServerCallTable<ReplyToken.Peer>
  var running: [UInt64: RunningCall] = [:]
  @exclusivity(unchecked) var backlog = ReplyBacklog()
  @exclusivity(unchecked) var unread: UnreadAnswers
  /// Those whose end is not yet settled.
  var endedConnections: Set<ConnectionNumber> = []
  @exclusivity(unchecked) var connections: ConnectionTable
  /// Connections that subscribe to something, by whose they are.
  var subscribers = PeerCounter<ConnectionNumber>()
  /// How many connections there may be.
  let ceiling: ConnectionCeiling
  var topics: TopicAccounts
  @exclusivity(unchecked) var callerBounds: CallerAdmission
  @exclusivity(unchecked) var waiting: WaitingRequests
  /// More arrives than a turn can handle: it waits for its caller's turn.
  @exclusivity(unchecked) var isBehind = false
  /// How long the end of the last turn took in which more arrived than could be handled.
  var lastEnding = Duration.zero
  /// Inline calls that are begun and not answered.
  @exclusivity(unchecked) var inlineOpen = 0
  /// New calls are refused, except those of some services.
  @exclusivity(unchecked) public internal(set) var isDraining = false
  /// The services, by their full names, that are answered while others are refused; set before their methods
  /// are registered.
  public var servicesWhileDraining: Set<String> = []
  var drainEnd = DrainEnd()
  /// Something was sent since the requests were last found to be all taken.
  @exclusivity(unchecked) var hasSent = false
  @exclusivity(unchecked) var isStopping = false
  /// When a loop that refuses calls ends.
  private(set) var refusalEnd: ContinuousClock.Instant?
  /// The loop ends after this turn, whatever is open.
  private(set) var endsAtOnce = false
  var stopActions: [() -> Void] = []
  /// Hands calls to another server; `nil`: all are answered here.
  @exclusivity(unchecked) var forwarding: Forwarding?
  /// Sees everything that is published; `nil`: nobody does.
  @exclusivity(unchecked) public var publicationObserver:
    ((_ topic: [UInt8], _ body: [UInt8]) -> Void)?
  private var inlineMethods: Set<String> = []

  init(
    _ configuration: ServerConfiguration,
    inbox: Mailbox<LoopMessage>,
    remote: LoopRemote
  ) throws(TransportError) {
    self.configuration = configuration
    self.inbox = inbox
    self.remote = remote
    arena = Arena(capacityBytes: configuration.memory.decodedBytesMax)
    calls = ServerCallTable(
      callsMax: configuration.callsInFlightMax,
      callsPerCallerMax: configuration.callsPerCallerInFlightMax,
      requestBytesMax: configuration.memory[.taskRequests],
      stallMax: configuration.creditStallMax
    )
    unread = UnreadAnswers(configuration.memory)
    topics = TopicAccounts(configuration.memory)
    ceiling = ConnectionCeiling(configuration.memory)
    ceiling.keepOwnDescriptors()
    connections = ConnectionTable(crowded: ceiling.crowded)
    callerBounds = CallerAdmission(
      configuration.memory,
      connectionsMax: ceiling.callingPerOwnerMax
    )
    waiting = WaitingRequests(
      bytesMax: configuration.memory[.requestsWaiting],
      countPerCallerMax: configuration.requestsWaitingPerCallerMax
    )
    context = try Context()
    let endpoint = Endpoint(configuration.endpoint)
    try endpoint.check(configuration.security)
    // Before the sockets: libzmq lets everybody in while nobody is there to decide.
    admission = try Self.makeAdmission(
      context,
      configuration.security,
      unusedPerOwnerMax: ceiling.perOwnerMax,
      inbox,
      remote
    )
    isCurve = !configuration.security.hidesIdentities
    router = try Socket(context, kind: ZMQ_ROUTER)
    try router.configure(
      for: endpoint,
      frameBytesMax: configuration.frameBytesMax + SocketLimits.frameBytesSlack,
      queueMax: configuration.repliesQueuedMax,
      heartbeat: .patient
    )
    try router.secure(configuration.security)
    try router.configureListening()
    // Without it an answer that finds its client's queue full is dropped in silence.
    try router.set(ZMQ_ROUTER_MANDATORY, CInt(1))
    InboundBytes.setBounds(configuration)
    admission.watch(try ConnectionWatch(router, as: .calls, context, ceiling))
    let hidesIdentities = configuration.security.hidesIdentities
    self.endpoint = try router.bind(
      endpoint.text,
      hidesIdentities: hidesIdentities,
      of: .callers
    )
    secondEndpoint = try router.bindSecond(\.endpoint, of: .callers, configuration)
    if let pushEndpoint = configuration.pushEndpoint {
      pushes = try PushPort(
        at: pushEndpoint,
        context,
        configuration,
        ceiling,
        admission,
        failed: { inbox.send(.socketFailed($0)) }
      )
    } else {
      pushes = nil
    }
    pushEndpoint = pushes?.bound.endpoint
    secondPushEndpoint = pushes?.bound.secondEndpoint
  }

  /// Refuses calls from now on, and ends the loop as `endAtOnce` does when clients had time to notice.
  public func endAfterRefusals() {
    isStopping = true
    if refusalEnd == nil { refusalEnd = .now.advanced(by: configuration.refusalPeriod) }
  }

  /// Lets go of closures that may refer to the loop, whose sockets close with its last reference.
  func letGo() {
    drainEnd = DrainEnd()
    stopActions = []
    publicationObserver = nil
    forwarding = nil
    delegate = nil
    (observation.began, observation.ended) = (nil, nil)
    routes = MethodTable()
  }

  /// Ends the loop after this turn: what was answered leaves, the rest is answered UNAVAILABLE, and the
  /// `LoopDelegate` is not asked to stop.
  public func endAtOnce() { endsAtOnce = true }

  /// Adds a service whose calls run as tasks.
  public func register(_ service: some RPCService) {
    let descriptor = type(of: service).descriptor
    announce(descriptor)
    for method in descriptor.methods where !inlineMethods.contains(method.fullName) {
      routes.insert(method, route(method, .service(service), configuration.frameBytesMax))
    }
  }

  /// Adds a handler that runs on the loop thread, in place of its service's.
  ///
  /// - Parameters:
  ///   - method: A unary method.
  ///   - requestBytesMax: Larger requests are refused. The default is what this thread can read in its turn; a handler that
  ///     hands requests to another thread takes all that fit into a frame.
  ///   - handler: Must not wait for anything.
  public func registerInline(
    _ method: MethodDescriptor,
    requestBytesMax: Int = LoopContext.readBytesMax,
    _ handler: @escaping InlineHandler
  ) {
    precondition(method.kind == .unary, "\(method.fullName) streams and cannot be inline")
    inlineMethods.insert(method.fullName)
    let requestBytesMax = min(requestBytesMax, configuration.frameBytesMax)
    routes.insert(method, route(method, .inline(handler), requestBytesMax))
  }

  private func route(
    _ method: MethodDescriptor,
    _ handler: Route.Handler,
    _ requestBytesMax: Int
  ) -> Route {
    let service = method.fullName.prefix { $0 != "/" }
    return Route(
      method,
      callMetrics.number(of: method),
      handler,
      requestBytesMax,
      servicesWhileDraining.contains(String(service))
    )
  }

  /// Does something on the loop thread when the server begins to stop, before the grace period.
  public func whenStopping(_ action: @escaping () -> Void) { stopActions.append(action) }

  /// Lets reflection know of a service whose methods are registered one by one.
  public func announce(_ service: ServiceDescriptor) {
    if !services.contains(where: { $0.name == service.name }) { services.append(service) }
  }

  private static func makeAdmission(
    _ context: Context,
    _ security: Security,
    unusedPerOwnerMax: Int,
    _ inbox: Mailbox<LoopMessage>,
    _ remote: LoopRemote
  ) throws(TransportError) -> ZAPHandler {
    var admit: (@Sendable (PublicKey) -> AdmittedKey?)?
    if case .curveServer(_, let admits) = security { admit = admits }
    return try ZAPHandler(
      context,
      unusedPerOwnerMax: unusedPerOwnerMax,
      admit: admit,
      report: { refusals in
        remote.submit { loop in loop.delegate?.handshakesRefused(refusals, loop) }
      },
      failed: { inbox.send(.socketFailed($0)) }
    )
  }

  /// Begins to admit connections, and makes sure that not everybody is, and that nobody chooses a
  /// routing id.
  ///
  /// - Throws: When a key that nobody knows was admitted, when a connection has the routing id that it
  ///   claims, or when that cannot be learnt.
  func admit() throws(TransportError) {
    let (probe, claimant) = (KeyPair(), KeyPair())
    admission.open(refusing: probe.publicKey, admitting: claimant.publicKey)
    defer { admission.forgetClaimant() }
    guard case .curveServer(let pair, _) = configuration.security else {
      return try RoutingIDProbe.check(context, configuration.security, client: .development)
    }
    try RoutingIDProbe.check(
      context,
      configuration.security,
      client: .curveClient(ClientKeys(claimant, server: pair.publicKey))
    )
    for (kind, endpoint) in [(ZMQ_DEALER, endpoint), (ZMQ_SUB, pushEndpoint)] {
      guard let endpoint else { continue }
      try AdmissionProbe.check(Endpoint(endpoint), kind, ClientKeys(probe, server: pair.publicKey))
    }
    guard let second = configuration.second?.pair.publicKey else { return }
    for (kind, endpoint) in [(ZMQ_DEALER, secondEndpoint), (ZMQ_SUB, secondPushEndpoint)] {
      guard let endpoint else { continue }
      try AdmissionProbe.check(Endpoint(endpoint), kind, ClientKeys(probe, server: second))
    }
  }
}
