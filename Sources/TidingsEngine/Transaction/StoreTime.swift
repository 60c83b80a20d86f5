internal import TidingsModel
internal import TidingsSQL

/// Reads the clocks for the engine, and keeps the steady time in transactions that write anyway.
final class StoreTime: TransactionParticipant {
  /// How old the kept time may be when a transaction writes, and when the server has nothing to do.
  ///
  /// Both matter only when the system is started again: until then its uptime goes on.
  static let saveInterval = Duration.seconds(60)
  static let idleSaveInterval = Duration.seconds(3_600)

  private let read: () -> ClockReading
  private let table: ClockTable
  private let shared: SteadyClock
  private var clock: StoreClock
  /// What the store has; `nil`: nothing, or it is not known.
  private var saved: StoreClock.Saved?

  /// - Parameters:
  ///   - connection: The store.
  ///   - shared: Shows the steady time to other threads.
  ///   - read: Reads the system's clocks.
  /// - Throws: `SQLError`.
  init(
    _ connection: any SQLConnection,
    shared: SteadyClock,
    read: @escaping () -> ClockReading
  ) throws {
    self.read = read
    self.shared = shared
    table = try ClockTable(connection)
    saved = try table.saved()
    clock = StoreClock(read(), after: saved)
    shared.set(offset: clock.offset)
  }

  /// The time of day, which asks nothing of the steady time.
  var timeOfDay: Timestamp { read().timeOfDay }

  /// The moment of a transaction that begins.
  func moment() -> Moment {
    let offset = clock.offset
    let moment = clock.read(read())
    if clock.offset != offset { shared.set(offset: clock.offset) }
    return moment
  }

  /// Keeps the time in the open transaction, if what is kept is older than an interval.
  func save(ifOlderThan interval: Duration) throws(SQLError) {
    let current = clock.saved
    if let saved {
      let isSameScale =
        saved.steady.milliseconds - saved.uptime == current.steady.milliseconds - current.uptime
      guard
        saved.steady.advanced(by: interval) <= current.steady || !isSameScale
          || saved.lead?.since != current.lead?.since
      else { return }
    }
    try table.write(current)
    saved = current
  }

  func willCommit(_ transaction: inout CommittedTransaction) throws(SQLError) {
    if transaction.hasWrites { try save(ifOlderThan: Self.saveInterval) }
  }

  /// Perhaps the time was kept in it.
  func didRollback() { saved = nil }

  /// What is worth a line in the log since this was asked last.
  func takeNotice() -> ClockNotice? { clock.takeNotice() }
}
