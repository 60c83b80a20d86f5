internal import TidingsModel
internal import TidingsSQL

/// Ends the subscriptions of channels that fire once, when they do.
///
/// A few end at once. Many end with one number in the channel's row, `closed`: who joined before it has
/// ended with the event after. Their own rows follow in pieces.
final class OnceChannels {
  /// Most subscriptions that end at once, and whose users are notified.
  private static let membersMax: Int64 = 100
  private static let rowsPerPiece: Int64 = 500
  private static let pause = Duration.seconds(600)

  private let wakeUp: WakeUpFlag
  private var changed: Set<ChangedSubscriber> = []
  private let selectOwners: any SQLStatement
  private let endAll: any SQLStatement
  private let close: any SQLStatement
  private let selectClosed: any SQLStatement
  private let endSome: any SQLStatement
  private let countOpen: any SQLStatement
  private let settle: any SQLStatement

  init(_ connection: any SQLConnection, wakeUp: WakeUpFlag) throws {
    self.wakeUp = wakeUp
    // Some may have ended already with `closed`, and not know it.
    let active =
      """
      channel_id = ?1 AND ended IS NULL
        AND since >= (SELECT closed FROM channels WHERE id = ?1)
      """
    selectOwners = try connection.prepare("SELECT owner FROM subscriptions WHERE \(active)")
    endAll = try connection.prepare("UPDATE subscriptions SET ended = ?2 WHERE \(active)")
    close = try connection.prepare("UPDATE channels SET closed = ?2 WHERE id = ?1")
    selectClosed = try connection.prepare(
      "SELECT id, closed FROM channels WHERE closed > 0 LIMIT 1"
    )
    let open = "channel_id = ?1 AND ended IS NULL AND since < ?2"
    endSome = try connection.prepare(
      """
      UPDATE subscriptions SET ended = since + 1 WHERE id IN (
        SELECT id FROM subscriptions WHERE \(open) LIMIT ?3
      )
      """
    )
    countOpen = try connection.prepare("SELECT 1 FROM subscriptions WHERE \(open) LIMIT 1")
    settle = try connection.prepare("UPDATE channels SET closed = 0 WHERE id = ?1")
  }

  /// Ends all subscriptions to a channel with an event.
  ///
  /// - Parameters:
  ///   - channel: The channel's number.
  ///   - database: Its database.
  ///   - sequence: The number of the event.
  ///   - memberCount: How many there are.
  /// - Throws: `SQLError`.
  func end(
    _ channel: Int64,
    in database: DatabaseID,
    at sequence: Int64,
    memberCount: Int64
  ) throws {
    guard memberCount <= Self.membersMax else {
      close.bind(channel, at: 1)
      close.bind(sequence, at: 2)
      try close.run()
      return wakeUp.raise()
    }
    selectOwners.bind(channel, at: 1)
    try selectOwners.forEachRow {
      changed.insert(
        ChangedSubscriber(
          user: selectOwners.string(0),
          container: database.container,
          environment: database.environment
        )
      )
    }
    endAll.bind(channel, at: 1)
    endAll.bind(sequence, at: 2)
    try endAll.run()
  }
}

extension OnceChannels: TransactionParticipant {
  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {
    guard !changed.isEmpty else { return }
    transaction.changedSubscribers.formUnion(changed)
    changed = []
  }

  func didRollback() { changed = [] }
}

extension OnceChannels: MaintenanceTask {
  /// Writes into rows of subscriptions that they have ended.
  func work(at moment: Moment) throws -> Duration {
    guard let (channel, closed) = try nextClosed() else { return Self.pause }
    endSome.bind(channel, at: 1)
    endSome.bind(closed, at: 2)
    endSome.bind(Self.rowsPerPiece, at: 3)
    try endSome.run()
    countOpen.bind(channel, at: 1)
    countOpen.bind(closed, at: 2)
    defer { countOpen.reset() }
    if try !countOpen.step() {
      settle.bind(channel, at: 1)
      try settle.run()
    }
    return .zero
  }

  private func nextClosed() throws(SQLError) -> (channel: Int64, closed: Int64)? {
    defer { selectClosed.reset() }
    guard try selectClosed.step() else { return nil }
    return (selectClosed.int64(0), selectClosed.int64(1))
  }
}
