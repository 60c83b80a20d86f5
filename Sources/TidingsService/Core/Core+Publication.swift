internal import TidingsEngine
internal import TidingsLogging
internal import TidingsModel
internal import TidingsTracing
internal import TidingsZeroMQ

extension Core: GroupObserver {
  func groupCommitted(
    _ group: CommittedGroup,
    at committed: Int64,
    _ pushes: [PushTrace],
    on loop: LoopContext
  ) {
    if let transaction = group.transaction {
      publisher.publish(
        transaction.events,
        committed: committed,
        traces: pushes,
        on: loop
      )
      if !pushes.isEmpty { calls.tracer?.recordPushes(pushes) }
    }
    publisher.retire(group.retiredTopics)
    publisher.announceChannels(group.calls.effects.announcedTopics, on: loop)
    publisher.announceReleases(group.calls.effects.releasedTopics, on: loop)
    if let transaction = group.transaction {
      publish(transaction, group.calls, on: loop)
    }
    for ended in group.calls.effects.endedConnections { end(ended, on: loop) }
    if group.calls.mayHaveWritten { maintenance.groupCommitted() }
    counters += group.counters
    if let transaction = group.transaction {
      leadership?.committed(lastEvent: transaction.lastEvent)
    }
  }

  func groupRolledBack(on loop: LoopContext) { quotasChanged(on: loop) }

  /// Does what a transaction means for those who did not call.
  private func publish(
    _ transaction: CommittedTransaction,
    _ calls: CallGroup,
    on loop: LoopContext
  ) {
    publish(transaction.readMarks, on: loop)
    if transaction.hasChangedQuotas { quotasChanged(on: loop) }
    if !transaction.endedAccess.isEmpty { feeds.end(transaction.endedAccess, on: loop) }
    feeds.wake(by: transaction, calls.traced, on: loop)
    if !transaction.events.isEmpty || calls.effects.deliveriesChanged {
      senders.committed(on: loop)
    }
    noteInAudit(transaction.finishedErasures)
    assets.collect(transaction.collectedAssets)
  }

  /// Keeps the receipts of erasures in the audit log, too.
  func noteInAudit(_ erasures: [UserErasure]) {
    for erasure in erasures {
      let counts = erasure.counts.byKind.sorted { $0.key < $1.key }
        .map { "\($0.key): \($0.value)" }.joined(separator: ", ")
      audit.add(
        AuditEntry(
          "UserErased",
          user: erasure.requestedBy,
          isRefused: false,
          detail: "user \(erasure.user), erasure \(erasure.id); \(counts)"
        )
      )
    }
  }

  private func end(_ ended: CallEffects.EndedConnections, on loop: LoopContext) {
    _ = loop.endConnections(except: ended.exceptConnection) { [self] _, key, user in
      self.user(user, key) == ended.user
    }
  }

  /// Publishes to users' devices what others marked read.
  private func publish(_ marks: [StoredReadMarks], on loop: LoopContext) {
    guard !marks.isEmpty else { return }
    do {
      publisher.publish(try marks.map(pushed), on: loop)
    } catch {
      // They are in the log, where devices look every minute.
      logger.log(.error, "read marks were not published", ["reason": "\(error)"])
    }
  }

  private func pushed(_ marks: StoredReadMarks) throws -> PushedReadMarks {
    let topic = try engine.controlTopic(
      of: marks.owner,
      container: marks.container,
      environment: marks.environment
    )
    return PushedReadMarks(
      topic: topic,
      originTag: engine.originTag(
        of: Caller(user: marks.owner, device: marks.device),
        topic: topic
      ),
      previous: marks.previous,
      last: marks.last,
      notificationIDs: marks.ids.map(\.description)
    )
  }
}
