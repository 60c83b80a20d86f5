internal import TidingsEngine
internal import TidingsModel
internal import TidingsRPC

/// Gathers calls in a group that shares a transaction, and makes it durable.
///
/// A group is open from its first call on. It ends in one of two ways: `commit` returns everything that follows from
/// the commit, `giveUp` the calls that must be failed or executed again.
final class Committer {
  private let engine: Engine
  private let store: any Store
  /// Adds audit entries in the transaction; `nil`: they are added after it.
  private let auditTable: AuditTable?
  /// The calls of the group so far.
  ///
  /// Unchecked: a value that is changed by functions that call nothing beyond it, on the loop's thread.
  @exclusivity(unchecked) var group = CallGroup()
  /// Whether a transaction is open.
  @exclusivity(unchecked) private(set) var isOpen = false

  init(_ engine: Engine, store: any Store, auditTable: AuditTable? = nil) {
    (self.engine, self.store, self.auditTable) = (engine, store, auditTable)
  }

  /// Whether a call or task waits for the end of the group.
  var isAwaited: Bool { isOpen || !group.isEmpty }

  // MARK: The group

  /// A call is about to use the store.
  ///
  /// - Parameter access: Whether the call reads or writes.
  /// - Throws: `RPCError` if it writes and the store is full; `SQLError`.
  func open(for access: StoreAccess) throws {
    if access == .write, store.isFull { throw RPCError.storeIsFull }
    try open()
    if access == .write { (group.mayHaveWritten, group.callsMayHaveWritten) = (true, true) }
  }

  /// A maintenance task is about to use the store.
  ///
  /// - Throws: `SQLError`.
  func openForMaintenance() throws {
    try open()
    group.mayHaveWritten = true
  }

  private func open() throws {
    guard !isOpen else { return }
    try engine.begin()
    isOpen = true
  }

  /// Suspends or resumes the group of a long call.
  func exchange(_ other: inout CallGroup, isOpen isStillOpen: Bool) {
    swap(&group, &other)
    isOpen = isStillOpen
  }

  // MARK: Its end

  /// Commits the group.
  ///
  /// - Returns: Everything that follows from the commit.
  /// - Throws: `SQLError`; call `giveUp` then.
  func commit() throws -> CommittedGroup {
    if isOpen {
      try prepare()
      try engine.commitPrepared()
    }
    return finish()
  }

  /// Writes what has to be written before the commit, which another thread does.
  ///
  /// - Throws: `SQLError`: give the group up.
  func prepare() throws {
    let transaction = try engine.prepareCommit(hasWrites: group.callsMayHaveWritten)
    group.effects.announcedTopics.formUnion(transaction.endedAccess.controlTopics)
    for changed in transaction.changedSubscribers {
      group.effects.announcedTopics.insert(
        try engine.controlTopic(
          of: changed.user,
          container: changed.container,
          environment: changed.environment
        )
      )
    }
    if let auditTable, !group.effects.audits.isEmpty {
      group.addedAudits = try auditTable.append(group.effects.audits)
    }
    group.transaction = transaction
  }

  /// What was prepared was made durable by another thread.
  ///
  /// - Returns: What the group came to.
  func commitEnded() -> CommittedGroup {
    engine.didCommit()
    return finish()
  }

  private func finish() -> CommittedGroup {
    isOpen = false
    return CommittedGroup(takeGroup())
  }

  /// Takes the transaction back, and the group with it.
  ///
  /// - Returns: Those who wait for what was not kept.
  func giveUp() -> CallGroup {
    rollback()
    return takeGroup()
  }

  /// Takes a transaction back in which nothing was written; the group goes on without it.
  func rollback() {
    isOpen = false
    engine.rollback()
  }

  private func takeGroup() -> CallGroup {
    var taken = CallGroup()
    swap(&taken, &group)
    return taken
  }
}

extension RPCError {
  /// What was committed cannot be moved to its place, and nothing may be added to it.
  fileprivate static let storeIsFull = RPCError(
    .unavailable,
    "the log of the store is full and cannot be moved into the database now; nothing was changed: "
      + "try again later",
    details: [.retryInfo(after: .seconds(1))]
  )
}
