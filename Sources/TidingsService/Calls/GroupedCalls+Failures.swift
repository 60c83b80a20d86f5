internal import TidingsFiles
internal import TidingsRPC
internal import TidingsSQL
internal import TidingsSQLite
internal import TidingsZeroMQ

// What becomes of a group when the store fails.
extension GroupedCalls {
  /// A call failed, and perhaps the group with it.
  ///
  /// What a handler throws is its call's alone, whatever it is, except what the store says about itself. What only
  /// reads has changed nothing: it fails alone, unless others wrote before it in the same transaction. SQLite neither
  /// writes nor commits in one that met damage: they are made again.
  func callFailed(_ error: any Error, _ access: StoreAccess, on loop: LoopContext) {
    guard error.isOfStore else { return failures.note(error, in: "a call") }
    guard access == .read, !isTransient(error) else { return giveUpCall(after: error, on: loop) }
    guard committer.isOpen else { return failures.note(error, in: "a call that reads") }
    if committer.group.mayHaveWritten || !committer.group.calls.isEmpty {
      runEachAlone(after: error, on: loop)
    } else {
      failures.note(error, in: "a call that reads")
      committer.rollback()
    }
  }

  /// Whether the calls of a group that failed with this can be run again, all of them.
  func isTransient(_ error: any Error) -> Bool {
    guard gathers, let kind = (error as? SQLError)?.kind else { return false }
    return kind == .conflict || kind == .disconnected
  }

  /// Whether an earlier call of the group may have caused the failure: the call at hand is run again with the others.
  func isPerhapsOfAnother(_ error: any Error) -> Bool {
    guard let error = error as? SQLError else { return false }
    return error.isDeferred && error.letsOthersRunAgain && !isServingAlone
  }

  /// The group failed as a whole, at its end.
  ///
  /// A remote store reports there what a call did wrong, and any store what was wrong with rows that were queued: it
  /// must not cost others their calls.
  func groupFailed(after error: any Error, on loop: LoopContext) {
    let isAlone = committer.group.calls.count <= 1 && !isTransient(error)
    guard gathers || isPerhapsOfAnother(error), !isAlone else {
      return giveUpGroup(after: error, on: loop)
    }
    giveUpCall(after: error, on: loop)
  }

  /// Nothing of the group was kept: all that wrote learn that, and what only read is read again.
  func giveUpGroup(after error: any Error, on loop: LoopContext) {
    let group = takeBackGroup(after: error, on: loop, othersRunAgain: error.letsOthersRunAgain)
    let failure = RPCError(callFailure: error)
    sendSettledAnswers(of: group, orFail: failure, on: loop)
    // After a failed sync nothing of what is in memory may be shown.
    let reads = SyncFailure.hasHappened ? [] : group.calls.filter { $0.access == .read }
    for call in group.calls where call.access != .read || reads.isEmpty {
      loop.fail(call.token, failure)
    }
    for entry in group.effects.audits {
      var entry = entry
      entry.isRefused = true
      entry.detail += " (not kept: the store failed)"
      audit.add(entry)
    }
    runAlone(reads, on: loop)
    if SyncFailure.hasHappened { loop.endAtOnce() }
  }

  /// Sends the answers that stand whatever becomes of the group: refusals, and what was read before it wrote.
  ///
  /// What was written, and cannot be made again, fails.
  func sendSettledAnswers(
    of group: CallGroup,
    orFail failure: RPCError,
    on loop: LoopContext
  ) {
    for answer in group.answers where !answer.hasCall {
      switch answer.result {
      case .success(let body) where answer.isRead: loop.reply(answer.token, body: body)
      case .success: loop.fail(answer.token, failure)
      case .failure(let error): loop.fail(answer.token, error)
      }
    }
  }

  /// One of the group's calls failed within the store, and the group with it: the others are made again, each in a
  /// group of its own, unless the disk has failed.
  func giveUpCall(after error: any Error, on loop: LoopContext) {
    if isTransient(error) { return runGroupAgain(after: error, on: loop) }
    guard error.letsOthersRunAgain else { return giveUpGroup(after: error, on: loop) }
    runEachAlone(after: error, on: loop)
  }

  /// Runs each call of the group again, in a group of its own.
  private func runEachAlone(after error: any Error, on loop: LoopContext) {
    let group = takeBackGroup(after: error, on: loop, othersRunAgain: true)
    sendSettledAnswers(of: group, orFail: RPCError(callFailure: error), on: loop)
    runAlone(group.calls, on: loop)
  }

  private func runAlone(_ calls: [HeldCall], on loop: LoopContext) {
    let (wasServing, wasServingAlone) = (isServingWaiting, isServingAlone)
    (isServingWaiting, isServingAlone) = (true, true)
    for call in calls {
      guard runsAgainAt == nil else {
        // Behind one that is run again later.
        failedWaiting.append(.call(call, of: call.line, bytes: call.body.count))
        continue
      }
      serveInTurn(call, on: loop)
      endGroup(loop)
    }
    (isServingWaiting, isServingAlone) = (wasServing, wasServingAlone)
  }

  private func takeBackGroup(
    after error: any Error,
    on loop: LoopContext,
    othersRunAgain: Bool
  ) -> CallGroup {
    let group = takeBack(after: error, on: loop, othersRunAgain: othersRunAgain)
    let failure = RPCError(callFailure: error)
    for task in group.tasks { task.done(failure) }
    return group
  }

  /// Takes the group back; its tasks wait.
  func takeBack(
    after error: any Error,
    on loop: LoopContext,
    othersRunAgain: Bool
  ) -> CallGroup {
    failures.note(error, in: "a group of calls")
    let group = committer.giveUp()
    observer?.groupRolledBack(on: loop)
    takeBackPieces(group.partlyWritten, after: error, canRunAgain: othersRunAgain)
    return group
  }

  /// A sync failed, on whichever thread: what is on the disk is not known, and the process ends.
  func syncFailed(_ failure: SyncFailure, on loop: LoopContext) {
    let error = SQLError(.uncertain, "\(failure)")
    if let long = runningLongCall { loop.fail(long.held.token, RPCError(callFailure: error)) }
    for commit in beside.commits where runningLongCall == nil {
      for answer in commit.group.answers { loop.fail(answer.token, RPCError(callFailure: error)) }
    }
    beside.commits = []
    if committer.isOpen { giveUpGroup(after: error, on: loop) }
    loop.endAtOnce()
  }
}

extension Error {
  /// The store says it about itself, so it may concern the transaction.
  ///
  /// Everything else is a refusal, which a handler decides on before it writes.
  var isOfStore: Bool { self is SQLError || self is FileError }

  /// The other calls of the group can be executed again: the disk has not failed.
  fileprivate var letsOthersRunAgain: Bool {
    switch (self as? SQLError)?.kind {
    case .damaged, .busy, .conflict, .interrupted, .statement: true
    case .storage, .disconnected, .denied, .uncertain: false
    case nil: true
    }
  }
}
