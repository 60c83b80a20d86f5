internal import Synchronization
public import TidingsKeys
public import TidingsModel

/// The keys that may connect, for threads that must not wait for the engine's.
///
/// It says what was committed last. Whoever was let in is looked at again with each call.
public final class AdmittedKeys: Sendable {
  struct Admission: Hashable {
    let number: Int64
    let expires: Timestamp?
  }

  private let admissions = Mutex<[PublicKey: Admission]>([:])

  /// Nobody, until an engine is opened with it.
  public init() {}

  /// The number of a key that may connect; `nil`: it may not.
  public func number(of key: PublicKey, at now: Timestamp = .now) -> Int64? {
    guard let admission = admissions.withLock({ $0[key] }) else { return nil }
    if let expires = admission.expires, expires <= now { return nil }
    return admission.number
  }

  func replace(_ all: [PublicKey: Admission]) { admissions.withLock { $0 = all } }

  /// Takes in what a transaction changed; `nil`: the key may not connect any more.
  func apply(_ changes: [PublicKey: Admission?]) {
    admissions.withLock { admissions in
      for (key, admission) in changes { admissions[key] = admission }
    }
  }
}
