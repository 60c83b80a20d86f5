#if DEBUG
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif
#endif

/// A promise that a debug build breaks again and again if the environment variable `TIDINGS_TEST_SABOTAGE` names it, so that tests
/// can require that `tidings-check` finds it.
///
/// A release build breaks none: `isDue` is always `false` there, and what depends on it is not compiled.
enum ServerSabotage: CaseIterable {
  /// Acknowledges records that are not stored.
  case unstoredSave
  /// Acknowledges an atomic batch, and does not store its last record.
  case halfBatch
  /// Stores the others of an atomic batch in which a record fails.
  case partOfBatch
  /// Answers a fetch with the version before the newest one.
  case staleRead
  /// Executes a repeated call with an idempotency key once more.
  case ignoredKey
  /// Saves a record though another version is stored than the change tag says.
  case lostUpdate
  /// Omits a saved record from a change feed, whose token continues behind it.
  case skippedChange
  /// Omits a deletion from a change feed, whose token continues behind it.
  case lostDeletion
  /// Returns a saved record at the end of its page of a change feed.
  case feedOrder
  /// Stores no event for the update of a record.
  case lostEvent
  /// Stores no event for the change of a zone.
  case lostZoneEvent
  /// Stores the events of a change twice.
  case doubledEvent
  /// Omits a notification from the log, whose token continues behind it.
  case skippedNotification
  /// Leases what another device has, before its lease ends.
  case sharedLease
  /// Settles a notification as done that was released.
  case lostRelease
  /// Acknowledges that a notification is done, and delivers it again when its lease ends.
  case repeatedWork

  /// Whether to break a promise now; asked only where that can be done.
  ///
  /// - Parameters:
  ///   - sabotage: Which one.
  ///   - countMax: How often at most.
  /// - Returns: `true` at each third chance of the one that was chosen.
  @inline(__always)
  static func isDue(_ sabotage: ServerSabotage, atMost countMax: Int = .max) -> Bool {
    #if DEBUG
    guard let chosen, chosen == sabotage else { return false }
    let chance = chances.add(1, ordering: .relaxed).newValue
    return chance.isMultiple(of: 3) && chance / 3 <= countMax
    #else
    return false
    #endif
  }

  /// Notes a version of a record that is replaced, for `staleRead`.
  @inline(__always)
  static func note(replaced body: [UInt8]?, of name: String) {
    #if DEBUG
    if chosen == .staleRead { replaced.withLock { $0[name] = body } }
    #endif
  }

  /// The version to answer with instead of the newest one; `nil`: the newest one.
  @inline(__always)
  static func staleBody(of name: String) -> [UInt8]? {
    #if DEBUG
    guard chosen == .staleRead, let body = replaced.withLock({ $0[name] }) else { return nil }
    return isDue(.staleRead) ? body : nil
    #else
    return nil
    #endif
  }

  #if DEBUG
  private static let chosen: ServerSabotage? = {
    guard let text = getenv("TIDINGS_TEST_SABOTAGE") else { return nil }
    let name = String(cString: text)
    return allCases.first { "\($0)" == name }
  }()
  private static let chances = Atomic(0)
  /// By name of the record.
  private static let replaced = Mutex<[String: [UInt8]]>([:])
  #endif
}
