internal import TidingsModel
internal import TidingsSQL

/// Whom to tell that channels have new topics, in pieces: a channel of a public database may have very
/// many subscribers.
final class RotationNotices: TransactionParticipant {
  /// Subscribers that are told in one piece.
  private static let membersPerPiece = 500

  private let selectMembers: any SQLStatement
  /// Channels whose subscribers are to be told; of the last up to `lastOwner`.
  private var untold: [Int64] = []
  private var lastOwner = ""
  private var told: Set<ChangedSubscriber> = []

  init(_ connection: any SQLConnection) throws {
    selectMembers = try connection.prepare(
      """
      SELECT s.owner, s.container, s.environment FROM subscriptions s
      WHERE s.channel_id = ?1 AND s.ended IS NULL AND s.owner > ?2 ORDER BY s.owner LIMIT ?3
      """
    )
  }

  /// There are subscribers who are not told yet.
  var hasPending: Bool { !untold.isEmpty }

  /// A channel has a new topic.
  func add(_ channel: Int64) { untold.append(channel) }

  /// Reads who is to be told next.
  func work() throws {
    guard let channel = untold.last else { return }
    var count = 0
    selectMembers.bind(channel, at: 1)
    selectMembers.bind(lastOwner, at: 2)
    selectMembers.bind(Int64(Self.membersPerPiece), at: 3)
    try selectMembers.forEachRow {
      count += 1
      lastOwner = selectMembers.string(0)
      told.insert(
        ChangedSubscriber(
          user: lastOwner,
          container: selectMembers.string(1),
          environment: Environment(rawValue: Int32(truncatingIfNeeded: selectMembers.int64(2)))
            ?? .development
        )
      )
    }
    guard count < Self.membersPerPiece else { return }
    untold.removeLast()
    lastOwner = ""
  }

  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {
    guard !told.isEmpty else { return }
    transaction.changedSubscribers.formUnion(told)
    told = []
  }

  /// What was told in it is to be told again.
  func didRollback() {
    told = []
    lastOwner = ""
  }
}
