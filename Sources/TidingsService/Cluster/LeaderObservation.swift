/// What a node that follows is to do, by what it sees of the leader: a value without clock or connection.
///
/// Only the database says whether the leader is alive: it leaves signs there. That the node cannot reach it is no
/// reason to end it, since others may.
struct LeaderObservation {
  /// What is to be done.
  enum Action: Equatable {
    /// Find out whether the database still has this commit, and report it with `verified`.
    case verify(CommitMark)
    /// Forward calls to this leader.
    case follow(LeaderRow)
    /// Try to take the session lock; `endsLeader`: end the session that has it before.
    case lead(endsLeader: Bool)
    /// Report that this node cannot lead: a newer version has brought the database to this data format.
    case refuse(format: Int64)
  }

  /// How often a leader leaves a sign.
  static let signInterval = Duration.milliseconds(500)
  /// A leader that leaves none for so long is ended.
  static let silenceMax = Duration.seconds(2)

  private var leader: LeaderRow?
  /// The newest commit that was seen: the database must have it, whoever leads.
  private(set) var newest: CommitMark?
  /// When a sign of the leader was seen last.
  private var lastSign: ContinuousClock.Instant
  /// The newest data format that this node can read.
  private let formatMax: Int64
  /// The format for which it was reported that this node cannot lead.
  private var refusedFormat: Int64?

  /// Begins to observe.
  init(at now: ContinuousClock.Instant, newest: CommitMark? = nil, formatMax: Int64) {
    (lastSign, self.newest, self.formatMax) = (now, newest, formatMax)
  }

  /// The database was looked at.
  ///
  /// - Parameters:
  ///   - row: What it says; `nil`: nobody has led yet.
  ///   - isLinked: The leader that is followed is connected.
  ///   - now: When.
  /// - Returns: What is to be done, in this order.
  mutating func observe(
    _ row: LeaderRow?,
    isLinked: Bool,
    at now: ContinuousClock.Instant
  ) -> [Action] {
    guard let row else { return [.lead(endsLeader: false)] }
    let isNew = row.term != leader?.term || row.endpoint != leader?.endpoint
    if row != leader { lastSign = now }
    leader = row
    return noteCommit(of: row) + noteFormat(row.format)
      + actions(row, isNew: isNew, isLinked: isLinked, at: now)
  }

  /// The database has this data format.
  ///
  /// - Returns: What is to be reported.
  mutating func noteFormat(_ format: Int64) -> [Action] {
    guard format > formatMax, format != refusedFormat else { return [] }
    refusedFormat = format
    return [.refuse(format: format)]
  }

  /// The newest commit was looked for.
  ///
  /// - Parameter isKept: `false`: the database has lost it.
  mutating func verified(isKept: Bool) {
    if isKept { newest = leader?.mark }
  }

  /// A later number of the same term is a later commit; another term says nothing about the commits of this one.
  private mutating func noteCommit(of row: LeaderRow) -> [Action] {
    guard let newest, row.term != newest.term || row.commit < newest.number else {
      newest = row.mark
      return []
    }
    return [.verify(newest)]
  }

  private mutating func actions(
    _ row: LeaderRow,
    isNew: Bool,
    isLinked: Bool,
    at now: ContinuousClock.Instant
  ) -> [Action] {
    // One that starts cannot be called yet.
    if isNew { return row.endpoint.isEmpty ? [] : [.follow(row)] }
    // Another node has to lead, also if this one ends.
    guard row.format <= formatMax else { return [] }
    if lastSign.duration(to: now) > Self.silenceMax {
      // Its session may be idle with a lock that nobody uses.
      lastSign = now
      return [.lead(endsLeader: true)]
    }
    return isLinked ? [] : [.lead(endsLeader: false)]
  }
}
