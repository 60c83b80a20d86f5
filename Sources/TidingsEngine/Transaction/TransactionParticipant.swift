internal import TidingsSQL

/// Caches state of the store, or collects what the open transaction does.
///
/// The engine calls its participants for each transaction, in a fixed order. Every class with cached state is a
/// participant, so that no cache is stale after a rollback.
protocol TransactionParticipant: AnyObject {
  /// A transaction begins.
  func begin(at moment: Moment)

  /// The transaction is about to be committed: writes pending changes to the store, and reports what changed.
  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError)

  /// The transaction is durable.
  func didCommit()

  /// The transaction was rolled back: what it gathered is discarded.
  func didRollback()

  /// Forgets what it remembers of databases and zones: it has become too much.
  ///
  /// Called before a transaction begins: nothing of it has yet to be written.
  func forgetEntries()

  /// Reloads its in-memory state from the store, or discards it: some of it may never have been committed.
  ///
  /// Called before a transaction begins. When it throws, it is called again before the next one.
  func reload() throws
}

extension TransactionParticipant {
  func begin(at moment: Moment) {}
  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {}
  func didCommit() {}
  func didRollback() {}
  func forgetEntries() {}
  func reload() throws {}
}
