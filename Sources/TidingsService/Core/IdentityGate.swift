package import TidingsEngine
internal import TidingsKeys
internal import TidingsModel
internal import TidingsProto
package import TidingsRPC
package import TidingsZeroMQ

/// How it is known who calls.
enum CallerMode: Sendable {
  /// Authentication is off: the server trusts the user whom a call claims. Only this machine can connect, and
  /// everybody on it may administer.
  case development
  /// The key of the connection tells it.
  case authenticated
}

/// Says who calls, and refuses whom an administrator does not admit: the one place for all calls,
/// whatever answers them.
///
/// A key is looked up by its number in memory, with every call: what an administrator does is in force
/// with the next call of a connection that is open. A refusal costs no statement either.
package final class IdentityGate {
  private let engine: Engine
  private let mode: CallerMode
  private let audit: AuditLog

  /// A gate before the calls of a server.
  init(_ engine: Engine, mode: CallerMode, audit: AuditLog) {
    self.engine = engine
    self.mode = mode
    self.audit = audit
  }

  /// A gate apart from a server, to be measured; its refusals are noted in the folder.
  package convenience init(apart engine: Engine, auditFolder: String) {
    let audit = AuditLog(folder: auditFolder, logger: Logger(level: .error))
    self.init(engine, mode: .authenticated, audit: audit)
  }

  package func admit(
    key: Int64?,
    method: MethodDescriptor?,
    claiming claim: () -> UnsafeRawBufferPointer?
  ) -> CallAdmission {
    do {
      switch mode {
      case .development: return try admitClaimed(method, claim)
      case .authenticated:
        guard let key else { throw ItemError.keyUnknown }
        return .admitted(user: try user(of: key, method, claiming: claim))
      }
    } catch {
      return .refused(refusal(error, key: key))
    }
  }

  /// Why a key may not be used now; `nil`: it may, or there is none.
  func refusal(ofKey key: Int64?) -> RPCError? {
    guard let key else { return nil }
    do {
      _ = try user(of: key, nil) { nil }
      return nil
    } catch {
      return RPCError(callFailure: error)
    }
  }

  /// Whom a key stands for.
  private func user(
    of key: Int64,
    _ method: MethodDescriptor?,
    claiming claim: () -> UnsafeRawBufferPointer?
  ) throws -> String {
    let user: String
    switch try engine.standing(ofKey: key) {
    case .admitted(let name): user = name
    case .restricted(let name):
      guard !engine.isBeingErased(name) else { throw ItemError.beingErased }
      guard method?.tellsStatus == true else { throw ItemError.restricted }
      user = name
    case .expired(_, let since): throw ItemError.keyExpired(since: since)
    case .revoked(_, let since): throw ItemError.keyRevoked(since: since)
    case .unknown: throw ItemError.keyUnknown
    }
    guard !engine.isBeingErased(user) else { throw ItemError.beingErased }
    if let claim = claim(), !claim.isEmpty, !claim.elementsEqual(user.utf8) {
      throw ItemError.anotherUser
    }
    return user
  }

  private func admitClaimed(
    _ method: MethodDescriptor?,
    _ claim: () -> UnsafeRawBufferPointer?
  ) throws -> CallAdmission {
    guard engine.hasRestrictedUsers || engine.isErasing, let claim = claim() else {
      return .claimed
    }
    let user = String(decoding: claim, as: UTF8.self)
    guard !engine.isBeingErased(user) else { throw ItemError.beingErased }
    guard try method?.tellsStatus == true || !engine.isRestricted(user) else {
      throw ItemError.restricted
    }
    return .claimed
  }

  /// Notes a refusal, and says it to the caller.
  private func refusal(_ error: any Error, key: Int64?) -> RPCError {
    if let error = error as? ItemError {
      let holder = key.flatMap { try? engine.holder(ofKey: $0) }
      audit.addRefusal(
        AuditEntry(
          "call",
          user: holder?.user ?? "",
          publicKey: holder?.publicKey.description ?? "",
          isRefused: true,
          detail: error.message
        )
      )
    }
    return RPCError(callFailure: error)
  }
}

extension MethodDescriptor {
  /// Restricted users learn with it that they are.
  fileprivate var tellsStatus: Bool {
    fullName == TidingsV1.AccountService.Methods.fetchAccountStatus.fullName
  }
}

extension ItemError {
  fileprivate static let keyUnknown = ItemError(
    .notAuthenticated,
    "the key of this connection is not admitted: ask an administrator to authorize it"
  )
  fileprivate static func keyExpired(since time: Timestamp) -> ItemError {
    ItemError(
      .notAuthenticated,
      "the key of this connection expired at \(time.utcText): ask an administrator to authorize it "
        + "for longer"
    )
  }
  fileprivate static func keyRevoked(since time: Timestamp) -> ItemError {
    ItemError(
      .notAuthenticated,
      "the key of this connection was revoked at \(time.utcText): make a new pair, and ask an "
        + "administrator to authorize it"
    )
  }
  /// Only a caller who proved to be the user hears it.
  static let restricted = ItemError(
    .managedAccountRestricted,
    "an administrator restricted this account: its calls are refused"
  )
  /// All that is stored for the user is being removed.
  static let beingErased = ItemError(
    .managedAccountRestricted,
    "an administrator erases this account with all its data: its calls are refused"
  )
  fileprivate static let anotherUser = ItemError(
    .permissionFailure,
    "the metadata 'tidings-user' names another user than the key of this connection belongs to: "
      + "leave it out"
  )
}
