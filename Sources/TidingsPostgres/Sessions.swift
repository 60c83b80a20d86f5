#if PostgreSQL
internal import Synchronization
internal import TidingsSQL

/// The sessions of one connection with its server, of which one follows the other.
///
/// One is begun when it is needed, and again after it was lost. Those that have the session lock know from the noted
/// commits (`CommitNotes`) what became of a commit whose answer was lost with a session, and whether anybody else may have
/// written meanwhile.
final class Sessions {
  /// Ends the statement that runs, from any thread.
  let interruption = PostgresInterruption()
  /// The session that there is.
  private(set) var link: Link?
  private(set) var notes = CommitNotes()

  private let address: PostgresAddress
  private let profile: PostgresProfile
  private var schedule = ReconnectSchedule()
  /// Those that may still have the lock, though their connections were lost: also those that were lost while they took
  /// it.
  private var former: [CInt] = []
  /// How many are known: what one of them was sent may arrive long after it was lost.
  private static let formerMax = 16
  /// How it stands with the session lock.
  private let lockStanding = Mutex(LockStanding.held)
  private var planAge = PlanAge()

  init(_ address: PostgresAddress, _ profile: PostgresProfile) {
    (self.address, self.profile) = (address, profile)
  }

  /// How it stands with the session lock, as far as is known; from any thread.
  var standing: LockStanding { lockStanding.withLock { $0 } }

  /// How long until a lost session is followed by the next one; `nil`: it is when it is needed.
  var retryAfter: Duration? { link == nil ? schedule.wait(at: .now) : nil }

  /// A transaction begins.
  ///
  /// - Returns: Whether the session's plans are too old for it.
  func beginsWithOldPlans() -> Bool {
    planAge.isOver(at: .now, isAlwaysOver: profile.plansEachTransaction)
  }

  /// The transaction whose number was noted is committed.
  func committed() { notes.committed() }

  /// The session has ended.
  func lose() {
    link = nil
    interruption.follow(nil)
  }

  // MARK: Beginning

  /// The session for a command.
  ///
  /// - Parameter isIdle: Nothing is under way: a session that has ended is replaced without anybody noticing, unless
  ///   another program had its lock.
  /// - Returns: The session, which takes commands.
  /// - Throws: `disconnected`, `denied`, `busy`; `storage` when the database has lost commits.
  func current(isIdle: Bool) throws(SQLError) -> Link {
    if let link {
      guard isIdle, !link.isAlive() else { return link }
      lose()
    }
    let link = try connect(at: .now)
    guard profile.sessionLock != nil else { return try begin(link) }
    do throws(SQLError) {
      return try continueTerm(link)
    } catch {
      // Also a lock that is of no use.
      if !link.isPipelined { lose() }
      throw error
    }
  }

  /// Goes on with a session that has the lock: in its term, or in a new one if others had the lock meanwhile.
  private func continueTerm(_ link: Link) throws(SQLError) -> Link {
    guard let found = try link.noted(notes.term) else {
      // The tables are made in the first transaction.
      notes.began(CommitNotes.firstTerm)
      return try begin(link)
    }
    let continuity = notes.connected(finding: found)
    if continuity == .rewound { lockStanding.withLock { $0 = .rewound } }
    guard standing != .rewound else {
      throw SQLError(
        .storage,
        "the database \(address) has lost commits that it had acknowledged: it was restored, or a standby that was behind "
          + "was promoted"
      )
    }
    if notes.term == nil || continuity == .broken {
      notes.began(try link.beginTerm())
    }
    try begin(link)
    guard continuity == .kept else {
      throw SQLError(
        .disconnected,
        "the connection to \(address) was lost, and another program may have written meanwhile"
      )
    }
    return link
  }

  @discardableResult
  private func begin(_ link: Link) throws(SQLError) -> Link {
    if !link.isPipelined { try link.beginPipeline() }
    return link
  }

  private func connect(at now: ContinuousClock.Instant) throws(SQLError) -> Link {
    if let wait = schedule.wait(at: now) {
      throw SQLError(
        .disconnected,
        "not connected to \(address): the next attempt is in \(wait / .milliseconds(1)) ms"
      )
    }
    do throws(SQLError) {
      let link = try Link(address, profile, replacing: Set(former)) { session in
        former = former.suffix(Self.formerMax - 1) + [session]
      }
      schedule.succeeded()
      planAge.sessionBegan()
      interruption.follow(link)
      self.link = link
      lockStanding.withLock { if $0 == .lost { $0 = .held } }
      return link
    } catch {
      if error.kind == .busy, notes.term != nil {
        lockStanding.withLock { if $0 == .held { $0 = .lost } }
      }
      schedule.failed(at: now, share: .random(in: 0...1))
      throw error
    }
  }

  // MARK: Commits whose answers were lost

  /// Finds out what became of the commit with the next number, whose answer was lost with its session.
  ///
  /// That session has ended: the next one has its lock again, or another program has.
  ///
  /// - Throws: `disconnected` when nothing was kept; `uncertain` when it cannot be found out.
  func decide(after lost: SQLError) throws(SQLError) {
    let found = try found(within: profile.decisionPatience, after: lost)
    switch notes.outcome(finding: found) {
    case .committed: return
    case .absent:
      throw SQLError(.disconnected, "the connection was lost before the commit: \(lost)")
    case .unknown:
      throw SQLError(
        .uncertain,
        "the connection was lost during the commit, and the database has lost commits since: \(lost)"
      )
    }
  }

  /// What the last commits left.
  private func found(
    within patience: Duration,
    after lost: SQLError
  ) throws(SQLError) -> CommitNotes.Found {
    let end = ContinuousClock.now.advanced(by: patience)
    while true {
      do throws(SQLError) {
        return try lookForCommits()
      } catch {
        guard ContinuousClock.now < end, error.kind != .denied else {
          throw SQLError(
            .uncertain,
            "the connection was lost during the commit (\(lost)), and its outcome was not found out within "
              + "\(patience): \(error)"
          )
        }
        Link.pause(schedule.wait(at: .now) ?? ReconnectSchedule.firstPause)
      }
    }
  }

  private func lookForCommits() throws(SQLError) -> CommitNotes.Found {
    let nothing = CommitNotes.Found(newestTerm: 0, number: nil)
    do throws(SQLError) {
      let link = try connect(at: .now)
      let found = try look(link) ?? nothing
      // What others did meanwhile is noticed by the session of the next transaction.
      if notes.isCurrent(found) { try begin(link) } else { lose() }
      return found
    } catch {
      guard error.kind == .busy else {
        // It may have the lock, and is to be ended by the next one.
        lose()
        throw error
      }
      return try look(Link(address, profile.withoutLock)) ?? nothing
    }
  }

  /// Looks at the table; if it has the commit in question, a synchronous standby has it too.
  private func look(_ link: Link) throws(SQLError) -> CommitNotes.Found? {
    let found = try link.noted(notes.term)
    if found?.number == notes.next { try link.waitForStandby() }
    return found
  }
}
#endif
