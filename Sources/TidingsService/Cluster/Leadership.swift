internal import TidingsEngine
internal import TidingsProto
internal import TidingsZeroMQ

/// What the node that leads does for those that follow it: it hands them everything that it publishes.
final class Leadership {
  /// A node that follows.
  struct Follower {
    var node: NodeIdentity
    /// When it asked last.
    var lastSeen: ContinuousClock.Instant
    /// The number of the last publication that it has.
    var publication: UInt64
    /// It knows that this node leaves.
    var knowsOfEnd = false
  }

  private struct Waiting {
    let token: ReplyToken
    let publication: UInt64
    let keysVersion: UInt64
    let due: ContinuousClock.Instant
  }

  /// The longest that a node waits for publications.
  private static let waitMax = Duration.milliseconds(250)
  /// A node that does not ask for so long does not count as one.
  private static let silenceMax = Duration.seconds(5)

  let node: NodeIdentity
  let term: Int64
  private let admittedKeys: AdmittedKeys
  private var ring: PublicationRing
  private var waiting: [UInt64: Waiting] = [:]
  /// By their connections.
  private var followers: [UInt64: Follower] = [:]
  /// The newest event about which was published.
  private var event: Int64
  private var nextBeat = ContinuousClock.now
  /// The last commit that a node did not find.
  private var reported: CommitMark?
  /// Nodes that follow forward nothing more, and wait for the next leader.
  private(set) var isLeaving = false

  init(
    _ node: NodeIdentity,
    term: Int64,
    event: Int64,
    admittedKeys: AdmittedKeys,
    publishedBytesMax: Int
  ) {
    ring = PublicationRing(bytesMax: publishedBytesMax)
    (self.node, self.term, self.event) = (node, term, event)
    self.admittedKeys = admittedKeys
  }

  /// The nodes that follow, by name.
  func followers(at now: ContinuousClock.Instant) -> [Follower] {
    followers.values.filter { $0.lastSeen.advanced(by: Self.silenceMax) > now }
      .sorted { $0.node.name < $1.node.name }
  }

  /// The node that follows on a connection.
  func follower(on connection: UInt64) -> Follower? { followers[connection] }

  /// How many publications a node has not got yet.
  func lag(of follower: Follower) -> UInt64 { ring.last - min(ring.last, follower.publication) }

  /// How many nodes wait for an answer.
  var waitingCount: Int { waiting.count }

  // MARK: Publications

  /// Something was published.
  func published(_ topic: [UInt8], _ body: [UInt8]) {
    guard !followers.isEmpty else { return ring.skip() }
    ring.append(.init(topic: topic, body: body))
  }

  /// A group was committed, and its events published.
  func committed(lastEvent: Int64) { event = max(event, lastEvent) }

  /// A node asks for publications.
  ///
  /// - Returns: What is to be done now; `nil`: it waits.
  func follow(
    _ request: TidingsClusterV1.FollowRequest,
    _ token: ReplyToken,
    at now: ContinuousClock.Instant
  ) -> Following? {
    followers[token.connection] = Follower(
      node: NodeIdentity(request.node ?? .init()),
      lastSeen: now,
      publication: request.publication,
      knowsOfEnd: followers[token.connection]?.knowsOfEnd ?? false
    )
    guard Int64(clamping: request.term) == term,
      let publications = ring.publications(after: request.publication)
    else {
      // What it had from another leader, or so long ago that it is not kept.
      let isBehind = request.event > 0 && Int64(clamping: request.event) < event
      return isBehind
        ? .catchUp(after: Int64(clamping: request.event))
        : .answer(answer([], publication: ring.last, event: event))
    }
    let wait = min(.milliseconds(Int64(request.waitMilliseconds)), Self.waitMax)
    let hasKeys = request.keysVersion == admittedKeys.version
    guard publications.isEmpty, hasKeys, wait > .zero, !isEndNew(for: token.connection) else {
      return .answer(answer(publications, after: request.publication, on: token.connection))
    }
    waiting[token.connection] = Waiting(
      token: token,
      publication: request.publication,
      keysVersion: request.keysVersion,
      due: now.advanced(by: wait)
    )
    return nil
  }

  /// What is to be done for a node that asks.
  enum Following {
    case answer(TidingsClusterV1.FollowResponse)
    /// It gets the newest numbers of the channels with events after this one.
    case catchUp(after: Int64)
  }

  /// The answer to a node that is behind.
  ///
  /// - Parameters:
  ///   - numbers: What it publishes.
  ///   - event: The last event that was looked at.
  ///   - start: The number of the last publication when the events were looked at.
  /// - Returns: The answer; it asks again until there are no events left.
  func caughtUp(
    _ numbers: [PublicationRing.Publication],
    to event: Int64,
    from start: UInt64
  ) -> TidingsClusterV1.FollowResponse {
    var response = answer(numbers[...], publication: start, event: event)
    // The rest of the events, with the next call.
    if event < self.event { (response.term, response.publication) = (0, 0) }
    return response
  }

  /// The number of the last publication.
  var lastPublication: UInt64 { ring.last }

  /// The nodes that waited and get an answer now: something was published, or they waited long enough.
  func due(at now: ContinuousClock.Instant) -> [(ReplyToken, TidingsClusterV1.FollowResponse)] {
    guard !waiting.isEmpty else { return [] }
    var answers: [(ReplyToken, TidingsClusterV1.FollowResponse)] = []
    let keysVersion = admittedKeys.version
    for (connection, entry) in waiting
    where entry.publication < ring.last || entry.keysVersion != keysVersion || entry.due <= now
      || isEndNew(for: connection)
    {
      waiting[connection] = nil
      let publications = ring.publications(after: entry.publication) ?? []
      answers.append(
        (entry.token, answer(publications, after: entry.publication, on: connection))
      )
    }
    return answers
  }

  /// This node is about to end: those that follow are to hold calls until another one leads.
  ///
  /// - Parameter isLeaving: `false`: it stays after all.
  func leave(_ isLeaving: Bool = true) {
    self.isLeaving = isLeaving
    for connection in followers.keys { followers[connection]?.knowsOfEnd = false }
  }

  private func isEndNew(for connection: UInt64) -> Bool {
    isLeaving && followers[connection]?.knowsOfEnd == false
  }

  /// Connections have ended.
  ///
  /// - Returns: The calls that waited on them.
  func connectionsEnded(_ connections: [UInt64]) -> [ReplyToken] {
    guard !followers.isEmpty else { return [] }
    return connections.compactMap { connection in
      followers[connection] = nil
      return waiting.removeValue(forKey: connection)?.token
    }
  }

  /// All that wait: the server is stopping.
  func takeAll() -> [ReplyToken] {
    defer { waiting = [:] }
    return waiting.values.map(\.token)
  }

  private func answer(
    _ publications: ArraySlice<PublicationRing.Publication>,
    after number: UInt64,
    on connection: UInt64
  ) -> TidingsClusterV1.FollowResponse {
    let last = number + UInt64(publications.count)
    // Events count as published when everything is handed on.
    var response = answer(
      publications,
      publication: last,
      event: last == ring.last ? event : 0
    )
    response.isLeaving = isLeaving
    followers[connection]?.knowsOfEnd = isLeaving
    return response
  }

  private func answer(
    _ publications: ArraySlice<PublicationRing.Publication>,
    publication: UInt64,
    event: Int64
  ) -> TidingsClusterV1.FollowResponse {
    TidingsClusterV1.FollowResponse(
      term: UInt64(term),
      publications: publications.map { .init(topic: $0.topic, body: $0.body) },
      publication: publication,
      event: UInt64(clamping: event),
      keysVersion: admittedKeys.version,
      leader: node.message
    )
  }

  // MARK: Lost commits

  /// Whether nobody has said before that the database has lost this commit.
  func isReportedFirst(_ commit: CommitMark) -> Bool {
    guard reported != commit else { return false }
    reported = commit
    return true
  }

  // MARK: Signs of life

  /// When `due` or `isBeatDue` has something to do.
  var nextTimer: ContinuousClock.Instant {
    waiting.values.map(\.due).min().map { min($0, nextBeat) } ?? nextBeat
  }

  /// Whether a sign of life is to be left.
  func isBeatDue(at now: ContinuousClock.Instant) -> Bool {
    guard nextBeat <= now else { return false }
    nextBeat = now.advanced(by: LeaderObservation.signInterval)
    return true
  }
}
