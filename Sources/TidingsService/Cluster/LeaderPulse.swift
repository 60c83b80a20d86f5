#if PostgreSQL
internal import Synchronization
internal import TidingsPostgres
internal import TidingsSQL
internal import TidingsThreads

/// Leaves signs of life of the node that leads in the database, on a thread and a connection of its own: that many calls
/// wait for the store is no reason to end it.
///
/// While the node starts, which may take long, it does so by itself; then only when the loop asks for it, which it does as long
/// as it turns. The thread ends with the last reference.
final class LeaderPulse: Sendable {
  private let signs: Signs

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - address: The database.
  ///   - term: The term of the node.
  init(_ address: PostgresAddress, term: Int64) {
    let signs = Signs(address, term: term)
    self.signs = signs
    startThread { signs.run() }
  }

  deinit { signs.stop() }

  /// Another node has a newer term.
  var isOutdated: Bool { signs.isOutdated }

  /// Leaves a sign, without waiting for it.
  ///
  /// From now on none is left without being asked for.
  func beat() { signs.ask() }

  /// What the thread does.
  private final class Signs: Sendable {
    private struct State {
      var isAlone = true
      var isOutdated = false
      var isStopping = false
    }

    private let address: PostgresAddress
    private let term: Int64
    private let state = Mutex(State())
    private let due = Semaphore()

    init(_ address: PostgresAddress, term: Int64) {
      (self.address, self.term) = (address, term)
    }

    var isOutdated: Bool { state.withLock { $0.isOutdated } }

    func ask() {
      state.withLock { $0.isAlone = false }
      due.signal()
    }

    func stop() {
      state.withLock { $0.isStopping = true }
      due.signal()
    }

    func run() {
      let connection = PostgresConnection(address)
      while true {
        let isAsked = due.wait(for: LeaderObservation.signInterval)
        let current = state.withLock { $0 }
        if current.isStopping { return }
        guard isAsked || current.isAlone else { continue }
        // What fails is noticed by others, who see no sign.
        guard let isNewest = try? leaveSign(connection), !isNewest else { continue }
        state.withLock { $0.isOutdated = true }
      }
    }

    /// - Returns: Whether the term is the newest.
    private func leaveSign(_ connection: PostgresConnection) throws(SQLError) -> Bool {
      let update = try connection.prepare(
        "UPDATE leader SET beat = beat + 1 WHERE id = 1 AND term = ?1 RETURNING beat"
      )
      update.bind(term, at: 1)
      defer { update.reset() }
      return try update.step()
    }
  }
}
#endif
