public import TidingsMemory
internal import TidingsProto
internal import TidingsProtobuf
public import TidingsRPC

/// Hands the calls of a server's clients to another server, and its answers to them, as they are.
///
/// Used on the loop's thread. Calls that arrive while there is no connection wait for one, until patience ends; a call
/// that was handed on and whose connection is lost fails UNAVAILABLE: whether it was done is not known here, and clients
/// repeat what is safe to repeat.
public final class Forwarding {
  /// How the other server is reached.
  private let security: Security
  private let context: Context
  private var waitingMethods = MethodTable<Void>()
  private(set) var upstream: Upstream?
  private(set) var calls: ForwardedCalls
  /// Calls of this server itself.
  private var ownCalls: [UInt64: (Result<[UInt8], RPCError>) -> Void] = [:]
  private var lastNumber: UInt64 = 0
  /// Until when calls wait for a connection.
  private(set) var patienceEnd: ContinuousClock.Instant?
  /// Calls wait though there is a connection: it is not known yet whether the other server takes them, or it finishes what it
  /// has and ends.
  public var isHolding = true {
    didSet {
      if !isHolding, isConnected { patienceEnd = nil } else { beginPatience() }
    }
  }
  /// The largest request that the other server takes: a larger one would end the connection, and all calls on it.
  public var requestBytesMax = WireLimits.frameBytesMax
  /// Called on the loop's thread when the connection was made or has ended, with why.
  public var linkChanged: ((RPCError?) -> Void)?

  /// How long calls wait for a connection after the one before was lost.
  public static let patience = Duration.seconds(5)
  private static let connectTimeout = Duration.seconds(1)

  /// Forwards nowhere yet.
  ///
  /// - Parameters:
  ///   - security: `development` or `curveClient`.
  ///   - methods: Those whose calls may wait for something to happen.
  ///   - memory: What the requests of its calls have room in.
  /// - Throws: `TransportError`.
  public init(
    _ security: Security,
    waitingMethods methods: [MethodDescriptor] = [],
    memory: MemoryShares
  ) throws(TransportError) {
    self.security = security
    calls = ForwardedCalls(bytesMax: memory.forwarded)
    context = try Context()
    for method in methods { waitingMethods.insert(method, ()) }
    patienceEnd = .now.advanced(by: Self.patience)
  }

  /// Attempts to connect go by each route to an endpoint in turn.
  private var attemptCount = -1

  /// Whether calls can be handed on.
  public var isConnected: Bool { upstream?.isConnected ?? false }

  /// Where the calls go; `nil`: nowhere at the moment.
  public var endpoint: String? { upstream?.endpoint }

  /// How many calls are not answered.
  public var count: Int { calls.count }

  /// Connects to another server, or to the same one again; what was handed to the one before fails.
  ///
  /// - Parameters:
  ///   - endpoint: Where; `nil`: nowhere.
  ///   - loop: The loop.
  /// - Throws: `TransportError`.
  public func connect(to endpoint: String?, on loop: LoopContext) throws(TransportError) {
    lose(RPCError(.unavailable, "calls go to another node now"), on: loop)
    guard let endpoint else { return }
    var configuration = ConnectionConfiguration(endpoint: endpoint)
    configuration.security = security
    configuration.connectTimeout = Self.connectTimeout
    let routes = Route.all(to: endpoint)
    attemptCount += 1
    upstream = try Upstream(routes[attemptCount % routes.count], configuration, context)
  }

  /// Calls the other server for this one.
  ///
  /// - Parameters:
  ///   - method: A unary method.
  ///   - request: The encoded request.
  ///   - done: Gets the encoded response, or why there is none.
  public func call(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    _ done: @escaping (Result<[UInt8], RPCError>) -> Void
  ) {
    guard let upstream, upstream.isConnected else {
      return done(.failure(RPCError(.unavailable, "there is no connection")))
    }
    if let refusal = refusal(headerBytes: 0, request.count) { return done(.failure(refusal)) }
    lastNumber += 1
    let header = TidingsRpcV1.RequestHeader(callID: lastNumber, method: method.fullName)
    let isSent = header.encoded().withUnsafeBytes { header in
      request.withUnsafeBytes { upstream.send(header, $0) }
    }
    guard isSent else { return done(.failure(.upstreamIsFull)) }
    ownCalls[lastNumber] = done
  }

  /// Calls the other server in the name of the client whose call is being handled.
  ///
  /// - Parameters:
  ///   - method: A unary method.
  ///   - request: The encoded request.
  ///   - token: The client's call.
  ///   - loop: The loop, which is handling it.
  ///   - done: Gets the encoded response, or why there is none.
  public func call(
    _ method: MethodDescriptor,
    _ request: [UInt8],
    for token: ReplyToken,
    on loop: LoopContext,
    _ done: @escaping (Result<[UInt8], RPCError>) -> Void
  ) {
    guard let upstream, upstream.isConnected else { return done(.failure(.noLeader)) }
    let header = loop.frames[loop.frames.count - 2]
    let headerBytes = header.count + method.fullName.utf8.count
    if let refusal = refusal(headerBytes: headerBytes, request.count) {
      return done(.failure(refusal))
    }
    lastNumber += 1
    let isSent = ForwardingHeader.request(
      header,
      number: lastNumber,
      key: token.peer.keyNumber,
      method: method.fullName
    ) { header in request.withUnsafeBytes { upstream.send(header, $0) } }
    guard isSent else { return done(.failure(.upstreamIsFull)) }
    ownCalls[lastNumber] = done
  }

  /// Ends it: what was handed on fails, and so does what waits for a connection, which was not begun.
  public func end(on loop: LoopContext) {
    lose(RPCError(.unavailable, "this node changes its role"), on: loop)
    patienceEnd = loop.now
    loop.settleHeld()
  }

  /// This server takes no calls any more: those that may wait for something to happen are refused, so that their clients
  /// wait elsewhere.
  public func endWaits(on loop: LoopContext) {
    let error = loop.isStopping ? RPCError.stopping : .draining
    for (number, token) in calls.removeWaiting() {
      cancel(number)
      loop.refuse(forwarded: token, error)
    }
  }

  // MARK: For the loop

  /// Hands a call on.
  ///
  /// - Returns: Why it cannot be.
  func start(
    _ method: UnsafeRawBufferPointer,
    _ header: UnsafeRawBufferPointer,
    _ body: UnsafeRawBufferPointer,
    _ token: ReplyToken,
    timeoutMilliseconds: UInt32?
  ) -> RPCError? {
    guard let upstream else { return .noLeader }
    if let refusal = refusal(headerBytes: header.count, body.count) { return refusal }
    let mayWait = waitingMethods.lookup(method) != nil
    guard calls.add(lastNumber + 1, token, bytes: body.count, mayWait: mayWait) else {
      return .tooManyForwarded
    }
    lastNumber += 1
    let isSent = ForwardingHeader.request(
      header,
      number: lastNumber,
      key: token.peer.keyNumber,
      timeoutMilliseconds: timeoutMilliseconds
    ) { upstream.send($0, body) }
    guard !isSent else { return nil }
    _ = calls.answered(lastNumber, isLast: true)
    return .upstreamIsFull
  }

  /// Why the other server would end the connection for a request; `nil`: it takes it.
  private func refusal(headerBytes: Int, _ bodyBytes: Int) -> RPCError? {
    let headerBytesMax = SocketLimits.headerBytesMax - ForwardingHeader.addedBytesMax
    if headerBytes > headerBytesMax {
      return .frameTooLarge(bytes: headerBytes, bytesMax: headerBytesMax)
    }
    guard bodyBytes > requestBytesMax else { return nil }
    return .frameTooLarge(bytes: bodyBytes, bytesMax: requestBytesMax)
  }

  /// Hands on a client's cancellation of a call, or its credit for a stream.
  ///
  /// - Returns: `false`: the call is none that was handed on.
  func control(_ header: UnsafeRawBufferPointer, _ token: ReplyToken) -> Bool {
    let key = ForwardedCalls.Key(peer: token.peer, callID: token.callID)
    guard let number = calls.number(of: key) else { return false }
    ForwardingHeader.request(header, number: number, key: nil, timeoutMilliseconds: nil) {
      _ = upstream?.send($0, UnsafeRawBufferPointer(start: nil, count: 0))
    }
    return true
  }

  /// Connections of clients have ended: their calls are cancelled.
  func connectionsEnded(_ connections: Set<ConnectionNumber>) {
    for number in calls.remove(of: connections) { cancel(number) }
  }

  private func cancel(_ number: UInt64) {
    RequestHeaderEncoder.cancel(number) {
      _ = upstream?.send($0, UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  /// Takes what has come from the other server.
  ///
  /// - Returns: Whether anything has.
  func turn(on loop: LoopContext) throws(TransportError) -> Bool {
    guard let upstream else { return false }
    var isBusy = try receive(from: upstream, on: loop)
    while self.upstream === upstream, let change = try upstream.nextChange() {
      isBusy = true
      switch change {
      case .connected:
        isHolding = true
        linkChanged?(nil)
      case .ended(let error):
        // Answers that came before are still there.
        _ = try receive(from: upstream, on: loop)
        lose(error, on: loop)
        linkChanged?(error)
      }
    }
    return isBusy
  }

  private func receive(
    from upstream: Upstream,
    on loop: LoopContext
  ) throws(TransportError) -> Bool {
    let count = try upstream.receive { header, body in
      guard let view = ResponseHeaderView(header) else { return }
      let isLast = view.endsStream || !view.isOK
      if let token = calls.answered(view.callID, isLast: isLast) {
        ForwardingHeader.response(header, callID: token.callID) { loop.relay(token, $0, body) }
      } else if let done = ownCalls.removeValue(forKey: view.callID) {
        done(view.isOK ? .success(Array(body)) : .failure(view.makeError()))
      }
    }
    return count > 0
  }

  /// From now on calls wait, if they do not already.
  private func beginPatience() {
    if patienceEnd == nil { patienceEnd = .now.advanced(by: Self.patience) }
  }

  /// The connection has ended: all that was handed on fails.
  private func lose(_ error: RPCError, on loop: LoopContext) {
    guard upstream != nil else { return }
    upstream = nil
    beginPatience()
    let own = ownCalls.sorted { $0.key < $1.key }
    ownCalls = [:]
    for (_, done) in own { done(.failure(error)) }
    for token in calls.removeAll() { loop.refuse(forwarded: token, .leaderLost(error)) }
  }
}

extension RPCError {
  /// Calls waited for a connection, and there is none.
  static let noLeader = RPCError(
    .unavailable,
    "no node leads at the moment; the call was not begun: try again later, or call another node",
    details: [.errorInfo(reason: Self.noLeaderReason), .retryInfo(after: .milliseconds(500))]
  )

  /// A call was handed on.
  fileprivate static func leaderLost(_ error: RPCError) -> RPCError {
    RPCError(
      .unavailable,
      "the node that leads was lost during the call (\(error.message)); whether it was done is not known: repeat it "
        + "with its idempotency key",
      details: [
        .errorInfo(reason: RPCError.unknownOutcomeReason), .retryInfo(after: .milliseconds(100)),
      ]
    )
  }

  fileprivate static let upstreamIsFull = RPCError(
    .resourceExhausted,
    "the node that leads does not keep up: try again later",
    details: [.retryInfo(after: .milliseconds(100))]
  )

  fileprivate static let tooManyForwarded = RPCError(
    .resourceExhausted,
    "too many calls wait for answers of the node that leads: wait for answers before you send more",
    details: [.retryInfo(after: .milliseconds(100))]
  )
}
