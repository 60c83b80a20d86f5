internal import TidingsEngine
internal import TidingsSQL
internal import TidingsZeroMQ

// A commit that takes long, and everything that waits for a network, is done on a thread of the store.
extension GroupedCalls {
  /// Lets the store commit the group, which is prepared.
  func commitBeside(on loop: LoopContext) {
    var group = CallGroup()
    committer.exchange(&group, isOpen: false)
    let work = BesideWork(purpose: .committing(group), lines: Set(group.calls.map(\.line)))
    beside = work
    store.commitBeside(end(of: work))
  }

  /// Lets the store read what gathered calls are going to read.
  func readBeside(_ reads: ReadsAhead, for waiting: [Waiting]) {
    let lines = waiting.compactMap { if case .call(_, let line, _) = $0 { line } else { nil } }
    let work = BesideWork(purpose: .reading(reads, for: waiting), lines: Set(lines))
    beside = work
    store.readBeside(reads.statements, end(of: work))
  }

  private func end(of work: BesideWork) -> @Sendable (SQLError?) -> Void {
    { [remote, outcome = work.outcome] error in
      outcome.set(error)
      remote.submit { core, loop in core.calls.besideEnded(outcome, on: loop) }
    }
  }

  private func besideEnded(_ outcome: BesideWork.Outcome, on loop: LoopContext) {
    if beside?.outcome === outcome { finishBeside(on: loop) }
  }

  /// What the store's thread does has ended, or is waited for.
  func finishBeside(on loop: LoopContext) {
    guard let work = beside else { return }
    store.awaitThread()
    answerRefused(on: loop)
    beside = nil
    let error = work.outcome.error
    switch work.purpose {
    case .reading(let reads, let waiting): runGathered(waiting, reads, error, on: loop)
    case .committing(var group):
      committer.exchange(&group, isOpen: true)
      if let long = runningLongCall { return commitEnded(of: long, error, on: loop) }
      guard let error else { return groupEnded(committer.commitEnded(), on: loop) }
      groupFailed(after: error, on: loop)
    }
  }
}
