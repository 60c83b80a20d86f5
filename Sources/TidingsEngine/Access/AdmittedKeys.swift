internal import Synchronization
public import TidingsKeys
public import TidingsModel
public import TidingsSQL

/// The keys that may connect, for threads that must not wait for the engine's.
///
/// It says what was committed last. Whoever was let in is looked at again with each call.
public final class AdmittedKeys: Sendable {
  struct Admission: Hashable {
    let number: Int64
    let user: String
    let expires: Timestamp?
  }

  private struct State {
    var admissions: [PublicKey: Admission] = [:]
    var version: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Nobody, until an engine is opened with it.
  public init() {}

  /// The number of a key that may connect; `nil`: it may not.
  public func number(of key: PublicKey, at now: Timestamp = .now) -> Int64? {
    holder(of: key, at: now)?.number
  }

  /// The number of a key that may connect, and whose it is; empty: a guest's; `nil`: it may not connect.
  public func holder(
    of key: PublicKey,
    at now: Timestamp = .now
  ) -> (number: Int64, user: String)? {
    guard let admission = state.withLock({ $0.admissions[key] }) else { return nil }
    if let expires = admission.expires, expires <= now { return nil }
    return (admission.number, admission.user)
  }

  /// Whose the keys are that may connect, by their numbers; empty: a guest's.
  public var holders: [Int64: (user: String, publicKey: PublicKey)] {
    let admissions = state.withLock { $0.admissions }
    return Dictionary(
      admissions.map { ($1.number, (user: $1.user, publicKey: $0)) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Changes when keys were admitted or revoked.
  public var version: UInt64 { state.withLock { $0.version } }

  /// Reads them from a store that another process has.
  ///
  /// - Throws: `SQLError`.
  public func load(from connection: any SQLConnection) throws {
    var admissions: [PublicKey: Admission] = [:]
    try AdmittedKeyRows(connection).read { admissions[$0.publicKey] = $0.admission }
    replace(admissions)
  }

  func replace(_ all: [PublicKey: Admission]) {
    state.withLock { state in
      state.admissions = all
      state.version += 1
    }
  }

  /// Takes in what a transaction changed; `nil`: the key may not connect any more.
  func apply(_ changes: [PublicKey: Admission?]) {
    state.withLock { state in
      for (key, admission) in changes { state.admissions[key] = admission }
      state.version += 1
    }
  }
}
