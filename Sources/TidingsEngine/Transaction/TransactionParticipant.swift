internal import TidingsSQL

/// Remembers something of the store, or gathers what the open transaction does.
///
/// The engine tells each of its participants of each transaction, in one order. What is not told here is forgotten
/// nowhere: a class that remembers something is a participant.
protocol TransactionParticipant: AnyObject {
  /// A transaction begins.
  func begin(at moment: Moment)

  /// The transaction is about to be committed: writes what is still owed to the store, and tells what changed.
  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError)

  /// The transaction is durable.
  func didCommit()

  /// The transaction was taken back: what it gathered is forgotten.
  func didRollback()

  /// Reads anew what it remembers of the store, or forgets it: something of it may never have been.
  ///
  /// Called before a transaction begins. When it throws, it is called again before the next one.
  func reload() throws
}

extension TransactionParticipant {
  func begin(at moment: Moment) {}
  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {}
  func didCommit() {}
  func didRollback() {}
  func reload() throws {}
}
