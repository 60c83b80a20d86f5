internal import Synchronization
internal import TidingsModel
internal import TidingsRPC

/// An administrator's right to a call that runs for long: checked when it begins, and now and then.
final class CallerRights: Sendable {
  private let caller: Caller
  private let keyNumber: Int64?
  private let method: MethodDescriptor
  private let checked = Mutex(ContinuousClock.now)

  init(_ call: ServerCall) throws(ItemError) {
    caller = try CallerIdentity.caller(of: call)
    keyNumber = call.keyNumber
    method = call.method
  }

  /// Whether so much time passed since the last check.
  func isDue(after pause: Duration) -> Bool { checked.withLock { .now - $0 >= pause } }

  /// Refuses a caller who may not administer the server.
  func check(_ core: Core) throws {
    checked.withLock { $0 = .now }
    try core.rights.requireAdministrator(caller, keyNumber: keyNumber, method)
  }

  /// An entry of the audit log on the call.
  func entry(_ core: Core, _ detail: String) -> AuditEntry {
    core.rights.entry(method, caller, keyNumber: keyNumber, isRefused: false, detail)
  }
}
