internal import TidingsEngine
internal import TidingsSQL
internal import TidingsZeroMQ

// A commit that takes long, and everything that waits for a network, is done on threads of the store.
extension GroupedCalls {
  /// Lets the store commit the group, which is prepared.
  ///
  /// - Parameters:
  ///   - letsNextBegin: The next group may be decided meanwhile.
  ///   - loop: The loop.
  func commitBeside(letsNextBegin: Bool = false, on loop: LoopContext) {
    var group = CallGroup()
    committer.exchange(&group, isOpen: false)
    let commit = BesideWork.Commit(
      group: group,
      letsNextBegin: letsNextBegin,
      lines: Set(group.calls.map(\.line))
    )
    beside.commits.append(commit)
    store.commitBeside(end(of: commit.outcome))
  }

  /// Lets the store read what gathered calls are going to read.
  func readBeside(_ reads: ReadsAhead, for waiting: [Waiting]) {
    let lines = waiting.compactMap { if case .call(_, let line, _) = $0 { line } else { nil } }
    let reading = BesideWork.Reading(reads: reads, waiting: waiting, lines: Set(lines))
    beside.reading = reading
    store.readBeside(reads.statements, end(of: reading.outcome))
  }

  private func end(of outcome: BesideWork.Outcome) -> @Sendable (SQLError?) -> Void {
    { [remote] error in
      outcome.set(error)
      remote.submit { core, loop in core.calls.finishBeside(on: loop) }
    }
  }

  /// Goes on with what the store's threads have done.
  func finishBeside(on loop: LoopContext) {
    while let commit = beside.commits.first, commit.outcome.isDone { finish(commit, on: loop) }
    guard let reading = beside.reading, reading.outcome.isDone else { return }
    guard failedGroups.isEmpty else {
      beside.reading = nil
      return longCalls.putBack(reading.waiting)
    }
    guard beside.letsNextBegin else { return }
    beside.reading = nil
    if let error = reading.outcome.error { failures.note(error, in: "what is read ahead") }
    // What was not read ahead, the calls read for themselves.
    runGathered(reading.waiting, reading.outcome.error == nil ? reading.reads : nil, on: loop)
  }

  /// A group is durable, or was rolled back.
  private func finish(_ commit: BesideWork.Commit, on loop: LoopContext) {
    beside.commits.removeFirst()
    if beside.isNone { store.awaitThreads() }
    answerRefused(on: loop)
    var group = commit.group
    committer.exchange(&group, isOpen: true)
    let error = commit.outcome.error
    if let long = runningLongCall {
      return commitEnded(of: long, error, since: commit.begun, on: loop)
    }
    if !gathers { return commitEnded(commit, error, on: loop) }
    guard let error else {
      groupEnded(committer.commitEnded(), since: commit.begun, on: loop)
      guard beside.commits.isEmpty, goOnGrowing() else { return }
      return endGathered(letsNextBegin: true, on: loop)
    }
    if let growing = beside.growing {
      beside.growing = nil
      fail(growing, wasPrepared: false) { [self] loop in
        groupFailed(after: SQLError.following(error), on: loop)
      }
    }
    afterCommits(wasPrepared: true, on: loop) { [self] loop in
      groupFailed(after: error, on: loop)
    }
  }

  /// The group of a turn is durable, or was rolled back: what waited for the store has its turn.
  private func commitEnded(
    _ commit: BesideWork.Commit,
    _ error: SQLError?,
    on loop: LoopContext
  ) {
    if let end = commit.outcome.time {
      commitPace.note(commit.begin.duration(to: end), at: end)
    }
    if let error {
      groupFailed(after: error, on: loop)
    } else {
      groupEnded(committer.commitEnded(), since: commit.begun, on: loop)
      // One group after the other would never let it begin. What waits has its turn behind it.
      if !committer.isOpen { beginLongCall(isItsTurn: true, on: loop) }
    }
    if runningLongCall == nil { serveWaiting(on: loop) }
  }

  /// Lets the committer's group grow until the groups before it are durable.
  func grow() {
    var group = CallGroup()
    committer.exchange(&group, isOpen: false)
    beside.growing = group
  }

  /// The group that grows is the committer's again.
  ///
  /// - Returns: `false`: no group grows.
  @discardableResult
  func goOnGrowing() -> Bool {
    guard var group = beside.growing else { return false }
    beside.growing = nil
    committer.exchange(&group, isOpen: true)
    return true
  }

  /// What calls of the group read may never become durable: they are kept, to be run again.
  var isProvisional: Bool { committer.group.mayHaveWritten || !beside.commits.isEmpty }

  /// Waits for the store's threads, and goes on with what they have done.
  func awaitBeside(on loop: LoopContext) {
    store.awaitThreads()
    finishBeside(on: loop)
  }

  // MARK: Groups that failed

  /// Rolls a group back that failed, as soon as those before it are durable, or have failed as well.
  ///
  /// Nothing begins until then.
  ///
  /// - Parameters:
  ///   - wasPrepared: Its commit failed; else the group was still being decided, behind all that were prepared.
  ///   - loop: The loop.
  ///   - rollBack: Rolls back the group that is the committer's then.
  func afterCommits(
    wasPrepared: Bool = false,
    on loop: LoopContext,
    _ rollBack: @escaping (LoopContext) -> Void
  ) {
    // What is being read ahead was to be used on top of the commits.
    let isAlone = beside.commits.isEmpty && beside.reading == nil && failedGroups.isEmpty
    guard !isAlone else { return rollBack(loop) }
    var group = CallGroup()
    committer.exchange(&group, isOpen: false)
    fail(group, wasPrepared: wasPrepared, rollBack)
  }

  private func fail(
    _ group: CallGroup,
    wasPrepared: Bool,
    _ rollBack: @escaping (LoopContext) -> Void
  ) {
    let failed = FailedGroup(wasPrepared: wasPrepared) { [self] loop in
      var group = group
      committer.exchange(&group, isOpen: true)
      rollBack(loop)
    }
    let end = wasPrepared ? failedGroups.prefix(while: \.wasPrepared).count : failedGroups.count
    failedGroups.insert(failed, at: end)
  }

  /// Rolls groups back that failed.
  ///
  /// - Returns: `false`: not yet.
  func rollBackFailedGroups(on loop: LoopContext) -> Bool {
    guard !failedGroups.isEmpty else { return true }
    guard beside.isNone else { return false }
    let groups = failedGroups
    failedGroups = []
    for group in groups { group.rollBack(loop) }
    putBackWhatFailed()
    // Answers of a group that went on without its transaction.
    if !committer.isOpen { endGroup(loop) }
    return true
  }
}

/// A group that is to be rolled back.
struct FailedGroup {
  /// It was prepared, before those that were not.
  let wasPrepared: Bool
  let rollBack: (LoopContext) -> Void
}
