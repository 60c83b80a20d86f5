internal import Synchronization
internal import TidingsFiles
internal import TidingsSQL

/// Logs what the store failed with, in the database's own words, which callers do not see.
///
/// A damaged page fails every call that needs it: what is the same is logged once in a while, with how
/// often it came. Any thread may use it.
final class StoreFailures: Sendable {
  /// The same failure is logged again after this long.
  private static let pause = Duration.seconds(10)
  /// Most failures that are told apart.
  private static let kindsMax = 64

  private struct Entry {
    var due: ContinuousClock.Instant
    var unlogged = 0
  }

  private let logger: Logger
  private let entries = Mutex<[SQLError: Entry]>([:])

  init(logger: Logger) { self.logger = logger }

  /// Notes why something failed; what is not the store's failure is ignored.
  ///
  /// - Parameters:
  ///   - error: Why it failed.
  ///   - what: What failed, for example `a call that reads`.
  ///   - now: The time.
  func note(_ error: any Error, in what: String, at now: ContinuousClock.Instant = .now) {
    guard let error = error as? SQLError, let count = take(error, at: now) else { return }
    logger.log(
      .error,
      error.kind == .damaged
        ? "the database is damaged: restore a backup" : "the database cannot be used",
      ["in": what, "reason": error.message, "times": "\(count)"]
    )
  }

  /// How often it came since it was logged; `nil`: it is not logged now.
  private func take(_ error: SQLError, at now: ContinuousClock.Instant) -> Int? {
    entries.withLock { entries in
      var entry = entries[error] ?? Entry(due: now)
      entry.unlogged += 1
      guard entry.due <= now else {
        entries[error] = entry
        return nil
      }
      if entries[error] == nil, entries.count == Self.kindsMax { entries = [:] }
      entries[error] = Entry(due: now.advanced(by: Self.pause))
      return entry.unlogged
    }
  }
}
