/// Answers for clients that do not read fast enough, in order, per connection.
///
/// libzmq 4.3.4 can neither disconnect one peer nor say when its queue has room, and waiting would
/// stop everybody. So answers to calls that were begun are kept and tried again, and the client
/// begins no further call while any of its answers waits. That bounds the backlog by what was in
/// flight: nothing that took effect is dropped while its client is connected.
struct ReplyBacklog {
  /// An answer that waits.
  struct Reply {
    let envelope: Envelope
    let header: [UInt8]
    let body: [UInt8]

    /// What it takes while it waits.
    var byteCount: Int { header.count + body.count + UnreadAnswers.overheadBytes }
  }

  private struct Queue {
    var replies: [Reply] = []
    var head = 0
  }

  /// Most answers of a connection, refusals included, after which refusals are dropped.
  static let refusalsMax = 1024

  private var queues: [ConnectionNumber?: Queue] = [:]

  /// No answer waits.
  var isEmpty: Bool { queues.isEmpty }
  /// How many replies wait.
  var count: Int { queues.values.reduce(0) { $0 + $1.replies.count } }

  /// Whether an answer of the connection waits.
  func holds(_ peer: Envelope) -> Bool { !queues.isEmpty && queues[peer.connection] != nil }

  /// Whether one more refusal may wait for the connection.
  func hasRoomForRefusal(_ peer: Envelope) -> Bool {
    guard let queue = queues[peer.connection] else { return true }
    return queue.replies.count - queue.head < Self.refusalsMax
  }

  /// Keeps an answer.
  mutating func append(_ reply: Reply) {
    queues[reply.envelope.connection, default: Queue()].replies.append(reply)
  }

  /// A connection has ended.
  ///
  /// - Returns: How many answers are given up.
  mutating func remove(_ connection: ConnectionNumber) -> Int {
    queues.removeValue(forKey: connection).map { $0.replies.count - $0.head } ?? 0
  }

  /// Sends what can be sent.
  ///
  /// - Parameter send: Tries to send one answer.
  /// - Returns: How many answers were given up because their client is gone.
  mutating func flush(_ send: (Reply) -> Socket.Sending) -> Int {
    var undeliverable = 0
    for peer in Array(queues.keys) {
      guard var queue = queues.removeValue(forKey: peer) else { continue }
      sending: while queue.head < queue.replies.count {
        switch send(queue.replies[queue.head]) {
        case .sent: queue.head += 1
        case .full: break sending
        case .unreachable:
          undeliverable += queue.replies.count - queue.head
          queue.head = queue.replies.count
        }
      }
      if queue.head * 2 >= queue.replies.count {
        queue.replies.removeFirst(queue.head)
        queue.head = 0
      }
      if !queue.replies.isEmpty { queues[peer] = queue }
    }
    return undeliverable
  }
}
