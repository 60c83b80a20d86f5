internal import TidingsSQL
internal import TidingsSQLite

/// Gives the free pages of a store's file back, piece by piece between the turns of callers.
final class StoreSpace {
  private let pages: FreePages
  private var schedule = FreePageSchedule()
  private var nextLook = ContinuousClock.now
  private var hasEnded = false
  /// Bytes of free pages, at the last look.
  private(set) var freeBytes = 0

  /// The space of an open database.
  ///
  /// - Throws: `SQLError`.
  init(_ connection: SQLiteConnection) throws {
    pages = try FreePages(connection)
    freeBytes = try pages.count() * pages.pageBytes
  }

  /// Looks at the file if it is time to, and gives a piece back, in the open transaction.
  ///
  /// - Returns: When to come again.
  /// - Throws: `SQLError`.
  func release() throws -> Duration {
    let now = ContinuousClock.now
    guard nextLook <= now else { return now.duration(to: nextLook) }
    let free = try pages.count()
    freeBytes = free * pages.pageBytes
    let wasReleasing = schedule.isReleasing
    guard pages.canRelease else {
      nextLook = now.advanced(by: FreePageSchedule.idleInterval)
      return FreePageSchedule.idleInterval
    }
    switch schedule.next(free: free, of: try pages.pageCount()) {
    case .wait(let duration):
      hasEnded = wasReleasing && !schedule.isReleasing
      nextLook = now.advanced(by: min(duration, FreePageSchedule.lookInterval))
      return duration
    case .release:
      try pages.releasePiece()
      nextLook = now.advanced(by: FreePageSchedule.pause)
      return FreePageSchedule.pause
    }
  }

  /// Whether the last piece was given back since this was asked last.
  func takeEnd() -> Bool {
    defer { hasEnded = false }
    return hasEnded
  }
}
