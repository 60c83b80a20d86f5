internal import TidingsMemory
internal import TidingsModel
internal import TidingsSQL

/// All web credentials, in memory, as the open transaction leaves them: each call of a gateway looks for one.
///
/// What is rolled back is read again before the next look.
final class WebTokenDirectory: TransactionParticipant {
  private let table: WebTokenTable
  private var tokens: [Int64: WebToken] = [:]
  /// Also by the hashes before a renewal.
  private var byHash: [WebTokenHash: Int64] = [:]
  /// The sessions of each user.
  private var sessions: [String: Set<Int64>] = [:]
  /// API tokens and server keys that are not revoked.
  private var permanentCount = 0
  /// Those that are refused since the last commit.
  private var ended: Set<Int64> = []
  /// Sessions with whose handle somebody called: streams of events and polls have one.
  private var followed: Set<Int64> = []
  /// Users with streams of sessions that have ended, who are not notified yet.
  private var listeners: Set<ChangedSubscriber> = []
  /// Those of them whom the transaction notifies.
  private var notified: [ChangedSubscriber] = []
  /// So many topics are announced with a commit.
  private static let notifiedMax = 500
  private var isChanged = false
  /// A transaction that had changed something was rolled back.
  private var isStale = true

  init(_ table: WebTokenTable) throws {
    self.table = table
    try refresh()
  }

  // MARK: Looking

  func token(_ id: Int64) throws -> WebToken? {
    if isStale { try refresh() }
    return tokens[id]
  }

  /// The credential with a hash, or with one that was renewed a short time ago.
  func token(_ hash: WebTokenHash, at now: Timestamp) throws -> WebToken? {
    if isStale { try refresh() }
    guard let id = byHash[hash], let token = tokens[id] else { return nil }
    if token.hash == hash { return token }
    guard let previous = token.previous, previous.hash == hash, previous.ends > now else {
      return nil
    }
    return token
  }

  /// Whether there is one with a hash, valid or not.
  func contains(_ hash: WebTokenHash) throws -> Bool {
    if isStale { try refresh() }
    return byHash[hash] != nil
  }

  /// The registrations of a server key, valid or not.
  func serverKeys(_ publicKey: [UInt8]) throws -> [WebToken] {
    if isStale { try refresh() }
    return tokens.values.filter { $0.kind == .serverKey && $0.publicKey == publicKey }
  }

  /// The sessions of a user that are not over, the oldest first.
  func sessions(of user: String, at now: Timestamp) throws -> [WebToken] {
    if isStale { try refresh() }
    return (sessions[user] ?? []).sorted().compactMap { tokens[$0] }
      .filter { $0.revoked == nil && !$0.hasExpired(at: now) }
  }

  /// The memory that all tokens take, about, in bytes.
  var memoryBytes: Int {
    get throws {
      if isStale { try refresh() }
      return MemoryShares.webTokenCost(count: tokens.count)
    }
  }

  /// API tokens and server keys that are not revoked.
  var permanent: Int {
    get throws {
      if isStale { try refresh() }
      return permanentCount
    }
  }

  // MARK: Changing, in the open transaction

  /// Something is about to be written that this does not follow: the next look reads the store again.
  func willReload() { (isChanged, isStale) = (true, true) }

  func insert(_ token: WebToken) {
    isChanged = true
    add(token)
  }

  /// A credential has other hashes, another expiry, or is revoked.
  func update(_ token: WebToken) {
    isChanged = true
    remove(token.id)
    add(token)
  }

  func remove(_ id: Int64) {
    guard let token = tokens.removeValue(forKey: id) else { return }
    isChanged = true
    byHash[token.hash] = nil
    if let previous = token.previous { byHash[previous.hash] = nil }
    if token.kind == .session {
      sessions[token.user]?.remove(id)
      if sessions[token.user]?.isEmpty == true { sessions[token.user] = nil }
    } else if token.revoked == nil {
      permanentCount -= 1
    }
  }

  /// Somebody calls with the handle of a session, and may wait for what happens.
  func follow(_ id: Int64) { followed.insert(id) }

  /// The calls of a credential are refused from now on, and those of its sessions.
  ///
  /// Streams of events do not call: their users' devices are notified, and look again.
  func end(_ id: Int64) throws {
    ended.insert(-id)
    guard let token = try token(id) else { return }
    try notify(token)
    guard token.kind == .apiToken else { return }
    for session in tokens.values where session.apiToken == id {
      ended.insert(-session.id)
      try notify(session)
    }
  }

  /// Whether somebody is still to be notified, with this commit or the next ones.
  var hasListeners: Bool { !listeners.isEmpty }

  private func notify(_ token: WebToken) throws {
    guard followed.remove(token.id) != nil || token.kind == .serverKey else { return }
    if token.isOfDashboard {
      listeners.formUnion(try table.subscribed(token.user))
    } else {
      let (container, environment) = (token.container, token.environment)
      listeners.insert(.init(user: token.user, container: container, environment: environment))
    }
  }

  // MARK: Transactions

  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {
    transaction.endedAccess.keys.formUnion(ended)
    ended = []
    guard !listeners.isEmpty else { return }
    notified = Array(listeners.prefix(Self.notifiedMax))
    transaction.changedSubscribers.formUnion(notified)
  }

  func didCommit() {
    isChanged = false
    listeners.subtract(notified)
    notified = []
  }

  func didRollback() {
    // Who is notified for nothing looks again, and goes on.
    (ended, notified) = ([], [])
    guard isChanged else { return }
    (isChanged, isStale) = (false, true)
  }

  func reload() { isStale = true }

  private func refresh() throws {
    tokens.removeAll(keepingCapacity: true)
    byHash.removeAll(keepingCapacity: true)
    sessions.removeAll(keepingCapacity: true)
    permanentCount = 0
    try table.readAll { add($0) }
    isStale = false
  }

  private func add(_ token: WebToken) {
    tokens[token.id] = token
    byHash[token.hash] = token.id
    if let previous = token.previous { byHash[previous.hash] = token.id }
    if token.kind == .session {
      sessions[token.user, default: []].insert(token.id)
    } else if token.revoked == nil {
      permanentCount += 1
    }
  }
}
