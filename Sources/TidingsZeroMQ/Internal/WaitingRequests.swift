internal import TidingsRPC

/// Requests that were received and not begun, taken from callers in turn.
///
/// The requests of a caller keep their order, and so do those of a connection, whose cancellations and
/// credits name no caller: they follow the connection's last call.
struct WaitingRequests {
  /// A request that waits.
  struct Request {
    let message: KeptMessage
    let connection: ConnectionNumber?
    /// When it came: its time runs since then.
    let received: ContinuousClock.Instant
  }

  /// Most requests that wait.
  private static let countMax = 65_536
  /// One caller's take this part of what is free at most, so that there is room for others: a quarter.
  private static let freePartPerCaller = 4
  /// What a request takes besides the bytes of its frames.
  private static let overheadBytes = 400

  private var queue: FairQueue<CallerKey, Request>
  private var peers: [ConnectionNumber?: (caller: CallerKey, count: Int)] = [:]
  /// The calls whose cancellations wait, behind them.
  private var cancelled: Set<ReplyToken> = []

  /// Room for requests of so many bytes; more are refused.
  init(bytesMax: Int, countPerCallerMax: Int) {
    queue = FairQueue(
      .init(
        countMax: Self.countMax,
        bytesMax: bytesMax,
        countPerCallerMax: countPerCallerMax,
        freePartPerCaller: Self.freePartPerCaller
      )
    )
  }

  var count: Int { queue.count }
  var isEmpty: Bool { queue.isEmpty }

  /// Whose request was the last of a connection that waits; `nil`: none waits.
  func lastCaller(on connection: ConnectionNumber?) -> CallerKey? { peers[connection]?.caller }

  /// Lets a request wait.
  ///
  /// - Returns: `false` when too much of the caller waits already, or of all.
  mutating func add(_ request: Request, of caller: CallerKey, bytes: Int) -> Bool {
    guard queue.add(request, of: caller, bytes: bytes + Self.overheadBytes) == .added else {
      return false
    }
    let count = peers[request.connection]?.count ?? 0
    peers[request.connection] = (caller, count + 1)
    return true
  }

  /// A cancellation waits, which `add` has taken.
  mutating func noteCancellation(of token: ReplyToken) { cancelled.insert(token) }

  /// It is a call's turn, or that of its cancellation.
  ///
  /// - Returns: Whether the cancellation had come and the call had not.
  mutating func removeCancellation(of token: ReplyToken) -> Bool {
    !cancelled.isEmpty && cancelled.remove(token) != nil
  }

  /// Removes the request whose turn it is.
  mutating func takeNext() -> Request? {
    guard let (request, _) = queue.takeNext() else { return nil }
    if let entry = peers[request.connection] {
      peers[request.connection] = entry.count == 1 ? nil : (entry.caller, entry.count - 1)
    }
    return request
  }
}
