internal import TidingsModel
internal import TidingsSQL

/// The subscribers to notify of new topics of their channels, in pieces: a channel of a public database may have very
/// many subscribers.
final class RotationNotices: TransactionParticipant {
  /// Subscribers that are notified in one piece.
  private static let membersPerPiece = 500

  private let selectMembers: any SQLStatement
  /// Channels whose subscribers are to be notified; of the last up to `lastOwner`.
  private var pending: [Int64] = []
  private var lastOwner = ""
  private var notified: Set<ChangedSubscriber> = []

  init(_ connection: any SQLConnection) throws {
    selectMembers = try connection.prepare(
      """
      SELECT s.owner, s.container, s.environment FROM subscriptions s
      WHERE s.channel_id = ?1 AND s.ended IS NULL AND s.owner > ?2 ORDER BY s.owner LIMIT ?3
      """
    )
  }

  /// There are subscribers to notify.
  var hasPending: Bool { !pending.isEmpty }

  /// A channel has a new topic.
  func add(_ channel: Int64) { pending.append(channel) }

  /// Reads who is to be notified next.
  func work() throws {
    guard let channel = pending.last else { return }
    var count = 0
    selectMembers.bind(channel, at: 1)
    selectMembers.bind(lastOwner, at: 2)
    selectMembers.bind(Int64(Self.membersPerPiece), at: 3)
    try selectMembers.forEachRow {
      count += 1
      lastOwner = selectMembers.string(0)
      notified.insert(
        ChangedSubscriber(
          user: lastOwner,
          container: selectMembers.string(1),
          environment: Environment(rawValue: Int32(truncatingIfNeeded: selectMembers.int64(2)))
            ?? .development
        )
      )
    }
    guard count < Self.membersPerPiece else { return }
    pending.removeLast()
    lastOwner = ""
  }

  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {
    guard !notified.isEmpty else { return }
    transaction.changedSubscribers.formUnion(notified)
    notified = []
  }

  /// Who was notified in it is notified again.
  func didRollback() {
    notified = []
    lastOwner = ""
  }
}
