internal import TidingsMemory
internal import TidingsModel
internal import TidingsSQL

/// The quotas of users: their own, which administrators set, or the server's.
///
/// Of an own quota, a null member stands for the server's.
final class QuotaTable {
  /// How often something was refused because there was no room for it.
  var refusedCount: UInt64 = 0
  private let limits: Limits
  private let select: any SQLStatement
  private let update: any SQLStatement
  private let selectRates: any SQLStatement
  private var known: [String: Quota] = [:] { didSet { last = nil } }
  /// The one that was looked up last: one after the other, calls are often of the same user.
  private var last: (user: String, quota: Quota)?
  /// A quota was set in the open transaction.
  private var isChanged = false

  private let usersKeptMax: Int

  init(_ connection: any SQLConnection, limits: Limits) throws {
    self.limits = limits
    usersKeptMax = limits.memory.count(of: .quotas)
    select = try connection.prepare(
      """
      SELECT records_max, bytes_max, calls_per_second_max, subscriptions_max, connections_max
      FROM accounts WHERE user = ?1
      """
    )
    selectRates = try connection.prepare(
      "SELECT 1 FROM accounts WHERE calls_per_second_max > 0 LIMIT 1"
    )
    update = try connection.prepare(
      """
      UPDATE accounts SET records_max = ?2, bytes_max = ?3, calls_per_second_max = ?4,
        subscriptions_max = ?5, connections_max = ?6
      WHERE user = ?1
      """
    )
  }

  /// What a user may take; the owner of public databases is empty.
  func quota(of user: String) throws(SQLError) -> Quota {
    guard !user.isEmpty else { return limits.publicQuota }
    if let last, last.user == user { return last.quota }
    if let quota = known[user] {
      last = (user, quota)
      return quota
    }
    let quota = try read(user)
    if known.count >= usersKeptMax { known.removeAll(keepingCapacity: true) }
    known[user] = quota
    return quota
  }

  /// Gives a user with an account a quota of one's own; `nil`: the server's again.
  func set(_ quota: Quota?, of user: String) throws(SQLError) {
    known[user] = nil
    isChanged = true
    update.bind(user, at: 1)
    update.bind(quota?.recordsMax, at: 2)
    update.bind(quota?.bytesMax, at: 3)
    update.bind(quota?.callsPerSecondMax, at: 4)
    update.bind(quota?.subscriptionsMax, at: 5)
    update.bind(quota?.connectionsMax, at: 6)
    try update.run()
  }

  /// Whether any user has a bound of one's own on calls in a second.
  var hasRates: Bool {
    get throws(SQLError) {
      defer { selectRates.reset() }
      return try selectRates.step()
    }
  }

  /// The account of a user is removed, and the quota with it.
  func userRemoved(_ user: String) {
    known[user] = nil
    isChanged = true
  }

  private func read(_ user: String) throws(SQLError) -> Quota {
    var quota = limits.userQuota
    select.bind(user, at: 1)
    defer { select.reset() }
    guard try select.step() else { return quota }
    let members: [WritableKeyPath<Quota, Int64>] = [
      \.recordsMax, \.bytesMax, \.callsPerSecondMax, \.subscriptionsMax, \.connectionsMax,
    ]
    for (column, member) in members.enumerated() where !select.isNull(column) {
      quota[keyPath: member] = select.int64(column)
    }
    return quota
  }
}

extension QuotaTable: TransactionParticipant {
  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {
    transaction.hasChangedQuotas = isChanged
    isChanged = false
  }

  func didRollback() { isChanged = false }

  func reload() { known.removeAll(keepingCapacity: true) }
}
