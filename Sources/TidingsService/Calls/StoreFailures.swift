internal import Synchronization
internal import TidingsFiles
internal import TidingsLogging
internal import TidingsModel
internal import TidingsRPC
internal import TidingsSQL

/// Logs the causes of failed calls, which callers do not see.
///
/// A damaged page fails every call that needs it, so a repeated cause is logged periodically, with its count.
/// Thread-safe.
final class StoreFailures: Sendable {
  /// The same failure is logged again after this long.
  private static let pause = Duration.seconds(10)
  /// Most failures that are counted separately.
  private static let kindsMax = 64

  private struct Entry {
    var due: ContinuousClock.Instant
    var unlogged = 0
  }

  private let logger: Logger
  private let entries = Mutex<[String: Entry]>([:])

  init(logger: Logger) { self.logger = logger }

  /// Logs the cause of an error; ignores errors without a cause.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - what: What failed, for example `a call that reads`.
  ///   - now: The time.
  func note(_ error: any Error, in what: String, at now: ContinuousClock.Instant = .now) {
    if let error = error as? ItemError, error.cause == nil { return }
    let failure = RPCError(callFailure: error)
    guard let cause = failure.cause else { return }
    let level: Logger.Level = failure.code.isServersFault ? .error : .debug
    let reason = String(reflecting: cause)
    guard level >= logger.level, let count = take(reason, at: now) else { return }
    logger.log(
      level,
      Self.message(cause, level),
      ["in": what, "reason": reason, "times": "\(count)"]
    )
  }

  private static func message(_ cause: any Error, _ level: Logger.Level) -> String {
    switch cause {
    case _ where level < .error: "a call was refused"
    case let cause as SQLError: message(cause.kind)
    case is FileError: "a file cannot be used"
    default: "a defect of the server: \(type(of: cause))"
    }
  }

  private static func message(_ kind: SQLError.Kind) -> String {
    switch kind {
    case .damaged: "the database is damaged: restore a backup"
    case .busy: "another program holds the database"
    case .conflict: "a transaction collided with another one"
    case .disconnected: "the database is out of reach"
    case .interrupted: "a statement ran for too long"
    case .denied, .storage, .uncertain: "the database cannot be used"
    case .statement: "a defect of the server, in a statement to its store"
    }
  }

  /// How often a cause occurred since it was last logged; `nil` if it is not due.
  private func take(_ reason: String, at now: ContinuousClock.Instant) -> Int? {
    entries.withLock { entries in
      var entry = entries[reason] ?? Entry(due: now)
      entry.unlogged += 1
      guard entry.due <= now else {
        entries[reason] = entry
        return nil
      }
      if entries[reason] == nil, entries.count == Self.kindsMax { entries = [:] }
      entries[reason] = Entry(due: now.advanced(by: Self.pause))
      return entry.unlogged
    }
  }
}

extension StatusCode {
  /// Whether the cause is on the server, so that an operator should know.
  fileprivate var isServersFault: Bool {
    [.internal, .unknown, .dataLoss, .unavailable].contains(self)
  }
}
