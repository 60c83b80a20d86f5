internal import CMicroHTTPD
internal import Synchronization

/// One request and its answer, on a connection.
///
/// Unchecked: until the request is complete only the thread of libmicrohttpd that owns the connection uses it, and
/// `answer`, which another thread sets, has a lock. libmicrohttpd allows `MHD_resume_connection` from any thread.
final class HTTPExchange: @unchecked Sendable {
  let uri: String
  var head: HTTPHead?
  private var plan = HTTPBodyPlan.memory(bytesMax: 0)
  private var bytes: [UInt8] = []
  private var file: HTTPFile?
  private var byteCount = 0
  private var firstBytes: ContinuousClock.Instant?
  /// Why the body is not wanted; the rest of it is not kept.
  private(set) var refusal: HTTPResponse?
  var isBegun = false
  /// It is waited for when the server stops.
  var isCounted = false
  /// Of a request that is answered on the thread of its connection.
  var executor: ConnectionExecutor?
  private let answer = Mutex(Answer.awaited)
  /// Of a streamed answer.
  var stream: HTTPStream?
  /// Of the answer.
  var onEnd: (@Sendable (_ isSent: Bool) -> Void)?

  private enum Answer {
    case awaited
    case ready(HTTPResponse)
    /// The request is complete, or its connection is gone.
    case unwanted
  }

  private let budget: BodyBudget
  private var budgetBytes = 0
  /// Of a body that was refused: how much of it is read.
  private var discardedBytesMax = 0

  init(uri: String, _ budget: BodyBudget) { (self.uri, self.budget) = (uri, budget) }

  deinit { budget.giveBack(budgetBytes) }

  func begin(_ head: HTTPHead, _ plan: HTTPBodyPlan, folder: String) {
    (self.head, self.plan) = (head, plan)
    // A length of more digits is more than anybody takes.
    if let declared = head.header("content-length").map({ Int($0) ?? .max }),
      declared > plan.bytesMax, !plan.isRefusal
    {
      self.plan = .refuse(Self.tooLarge(plan.bytesMax))
    }
    switch self.plan {
    case .memory: break
    case .file(_, let held):
      file = HTTPFile(in: folder, holding: held)
      if file == nil { refusal = Self.noRoom }
    case .refuse(let response): refusal = response
    }
  }

  /// Adds a part of the body.
  ///
  /// - Returns: `false`: it comes so slowly, or there is so much more of it than was wanted, that its connection is to be
  ///   closed.
  func append(_ chunk: UnsafeRawBufferPointer) -> Bool {
    byteCount += chunk.count
    guard comesInTime() else { return false }
    switch plan {
    case .memory(let bytesMax):
      guard byteCount <= bytesMax else { return refuse(Self.tooLarge(bytesMax)) }
      guard takeMemory() else { return refuse(Self.noMemory) }
      bytes += chunk
    case .file(let bytesMax, _):
      guard byteCount <= bytesMax else { return refuse(Self.tooLarge(bytesMax)) }
      if file?.append(chunk) != true { return refuse(Self.noRoom) }
    case .refuse: return byteCount <= discardedBytesMax
    }
    return true
  }

  /// What is not small is paid for from the budget, so that small bodies have their memory whatever others send.
  private func takeMemory() -> Bool {
    let wanted = byteCount - HTTPBody.smallBytesMax - budgetBytes
    guard wanted > 0 else { return true }
    guard budget.take(wanted) else { return false }
    budgetBytes += wanted
    return true
  }

  /// Whether what has come so far is enough for the time since the first bytes.
  private func comesInTime() -> Bool {
    let now = ContinuousClock.now
    let first = firstBytes ?? now
    firstBytes = first
    let (seconds, _) = first.duration(to: now).components
    return seconds < Self.patienceSeconds || byteCount >= Int(seconds) * Self.bytesPerSecondMin
  }

  /// The rest of the body is read, so that the client gets the answer, and not kept.
  private func refuse(_ response: HTTPResponse) -> Bool {
    refusal = response
    discardedBytesMax = byteCount + plan.bytesMax
    // What it held is free for others.
    (bytes, file, plan) = ([], nil, .refuse(response))
    budget.giveBack(budgetBytes)
    budgetBytes = 0
    return true
  }

  /// After so long a body has to come with a rate.
  private static let patienceSeconds: Int64 = 30
  private static let bytesPerSecondMin = 8 << 10

  /// The whole request.
  func takeRequest(of client: HTTPClient) -> HTTPRequest? {
    guard let head else { return nil }
    defer { (bytes, file) = ([], nil) }
    return HTTPRequest(head: head, body: file.map { .file($0) } ?? .bytes(bytes), client: client)
  }

  /// Keeps the answer for the connection, or discards it if that is gone.
  func setAnswer(_ response: HTTPResponse) {
    let isUnwanted = answer.withLock { answer in
      if case .unwanted = answer { return true }
      answer = .ready(response)
      return false
    }
    if isUnwanted { response.discard() }
  }

  func takeAnswer() -> HTTPResponse? { replaceAnswer(by: .awaited) }

  /// The request is complete, or its connection is gone: an answer that was not taken is discarded.
  func complete() { replaceAnswer(by: .unwanted)?.discard() }

  private func replaceAnswer(by other: Answer) -> HTTPResponse? {
    answer.withLock { answer in
      defer { answer = other }
      return if case .ready(let response) = answer { response } else { nil }
    }
  }

  private static func tooLarge(_ bytesMax: Int) -> HTTPResponse {
    .text(413, "the body has more than \(bytesMax) bytes")
  }
  private static let noMemory = HTTPResponse.text(
    503,
    "too many large requests at a time: try again later"
  )
  private static let noRoom = HTTPResponse.text(
    507,
    "there is no room for the body: try again later"
  )
}
