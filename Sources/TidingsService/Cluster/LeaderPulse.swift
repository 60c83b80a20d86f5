#if PostgreSQL
internal import Synchronization
internal import TidingsPostgres
internal import TidingsSQL
internal import TidingsThreads

/// Leaves signs of life of the node that leads in the database, on a thread and a connection of its own: that many calls
/// wait for the store is no reason to end it.
final class LeaderPulse: Sendable {
  private struct State {
    var isOutdated = false
    var isStopping = false
  }

  private let address: PostgresAddress
  private let term: Int64
  private let state = Mutex(State())
  private let due = Semaphore()

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - address: The database.
  ///   - term: The term of the node.
  init(_ address: PostgresAddress, term: Int64) {
    (self.address, self.term) = (address, term)
    startThread { [self] in run() }
  }

  /// Another node has a newer term.
  var isOutdated: Bool { state.withLock { $0.isOutdated } }

  /// Leaves a sign; does not wait for it.
  func beat() { due.signal() }

  /// Ends the thread, after what it does.
  func stop() {
    state.withLock { $0.isStopping = true }
    due.signal()
  }

  private func run() {
    let connection = PostgresConnection(address)
    while true {
      due.wait()
      if state.withLock({ $0.isStopping }) { return }
      // What fails is noticed by others, who see no sign.
      guard let isCurrent = try? beat(connection), !isCurrent else { continue }
      state.withLock { $0.isOutdated = true }
    }
  }

  /// - Returns: Whether the term is the newest.
  private func beat(_ connection: PostgresConnection) throws(SQLError) -> Bool {
    let update = try connection.prepare(
      "UPDATE leader SET beat = beat + 1 WHERE id = 1 AND term = ?1 RETURNING beat"
    )
    update.bind(term, at: 1)
    defer { update.reset() }
    return try update.step()
  }
}
#endif
