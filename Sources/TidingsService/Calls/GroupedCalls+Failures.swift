internal import TidingsFiles
internal import TidingsRPC
internal import TidingsSQL
internal import TidingsSQLite
internal import TidingsZeroMQ

// What becomes of a group when the store fails.
extension GroupedCalls {
  /// The group as failures see it.
  private var failing: GroupFailure.Group {
    GroupFailure.Group(
      isRemote: gathers,
      isOpen: committer.isOpen,
      isShared: committer.group.mayHaveWritten || !committer.group.calls.isEmpty,
      callCount: committer.group.calls.count,
      runsAlone: isServingAlone
    )
  }

  /// A call failed, and perhaps the group with it.
  func callFailed(_ error: any Error, _ access: StoreAccess, on loop: LoopContext) {
    let consequence = GroupFailure(error).ofCall(access, in: failing)
    follow(consequence, of: error, in: access == .read ? "a call that reads" : "a call", on: loop)
  }

  /// Something that writes failed, and the group with it.
  func workFailed(_ error: any Error, on loop: LoopContext) {
    follow(GroupFailure(error).ofWork(in: failing), of: error, in: "a call", on: loop)
  }

  /// The group failed as a whole, at its end.
  func groupFailed(after error: any Error, on loop: LoopContext) {
    follow(GroupFailure(error).ofCommit(of: failing), of: error, in: "a call", on: loop)
  }

  private func follow(
    _ consequence: GroupFailure.Consequence,
    of error: any Error,
    in what: String,
    on loop: LoopContext
  ) {
    switch consequence {
    case .callFails: failures.note(error, in: what)
    case .transactionEnds:
      failures.note(error, in: what)
      committer.rollback()
    case .callsRunAlone: runEachAlone(after: error, on: loop)
    case .groupRunsAgain: runGroupAgain(after: error, on: loop)
    case .groupFails: giveUpGroup(after: error, on: loop)
    }
  }

  /// Whether the calls of the group can be run again, all of them.
  func isTransient(_ error: any Error) -> Bool { GroupFailure(error).isTransient(in: failing) }

  /// Whether a call that failed is run again if the group is: it was refused, or perhaps for another one's fault.
  func keepsFailed(_ error: any Error) -> Bool {
    let failure = GroupFailure(error)
    return !failure.isOfStore || failure.isPerhapsOfAnother(in: failing)
  }

  /// Nothing of the group was kept: all that wrote learn that, and what only read is read again.
  func giveUpGroup(after error: any Error, on loop: LoopContext) {
    let group = takeBackGroup(
      after: error,
      on: loop,
      othersRunAgain: GroupFailure(error).letsOthersRunAgain
    )
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
