package import TidingsEngine
internal import TidingsKeys
internal import TidingsLogging
internal import TidingsModel
internal import TidingsProto
package import TidingsRPC
package import TidingsZeroMQ

/// How callers are identified.
enum CallerMode: Sendable {
  /// Authentication is off: the server trusts the user that a call names. Only this machine can connect, and
  /// every user is an administrator.
  case development
  /// The key of the connection identifies the user.
  case authenticated
}

/// Identifies the caller of each call, and rejects users without access, for all services.
///
/// The key of every call is looked up by its number in memory, so a change by an administrator applies
/// to the next call of an open connection. A rejection costs no statement.
package final class IdentityGate {
  private let engine: Engine
  private let mode: CallerMode
  private let audit: AuditLog

  /// Creates the gate of a server.
  init(_ engine: Engine, mode: CallerMode, audit: AuditLog) {
    self.engine = engine
    self.mode = mode
    self.audit = audit
  }

  /// Creates a gate without a server, for benchmarks; logs rejections in the folder.
  ///
  /// - Throws: `SQLError`.
  package convenience init(apart engine: Engine, auditFolder: String) throws {
    let audit = try AuditLog(AuditFolder(path: auditFolder), logger: Logger(level: .error))
    self.init(engine, mode: .authenticated, audit: audit)
  }

  package func admit(
    key: Int64?,
    method: @autoclosure () -> MethodDescriptor?,
    claiming claim: CallerClaim
  ) -> CallAdmission {
    do {
      switch mode {
      case .development:
        if let credential = claim.webCredential { return try admit(credential, method, of: "") }
        return try admitClaimed(method, claim)
      case .authenticated:
        guard let key else { throw ItemError.keyUnknown }
        if key == LoopContext.nodeKeyNumber { return try admitNode(method()) }
        guard let credential = claim.webCredential else {
          return .admitted(
            user: try user(
              of: key,
              Self.returnsAccountStatus(method()?.fullName),
              claiming: claim.user
            )
          )
        }
        let gateway = try user(of: key, false, claiming: nil)
        guard try engine.isGateway(gateway) else { throw ItemError.noGateway }
        return try admit(credential, method, of: gateway)
      }
    } catch {
      return .refused(refusal(error, key: key))
    }
  }

  /// Admits the call of a gateway's caller.
  private func admit(
    _ credential: CallerClaim.WebCredential,
    _ method: () -> MethodDescriptor?,
    of gateway: String
  ) throws -> CallAdmission {
    guard
      credential.serverKey == nil
        || credential.apiToken == nil && credential.webAuthToken == nil
    else { throw ItemError.twoCredentials }
    let number = try engine.webKey(
      WebCredentialText(
        apiToken: credential.apiToken,
        webAuthToken: credential.webAuthToken,
        serverKey: credential.serverKey,
        isRenewal: method()?.fullName == Self.renewal,
        requiresKey: mode == .authenticated
      )
    )
    return .admittedOnWeb(
      user: try user(of: number, Self.returnsAccountStatus(method()?.fullName), claiming: nil),
      credential: number,
      gateway: gateway
    )
  }

  private static let renewal = TidingsV1.GatewayService.Methods.renewWebAuthToken.fullName

  /// Nodes call each other for themselves with one service only.
  private func admitNode(_ method: MethodDescriptor?) throws -> CallAdmission {
    guard method?.service == TidingsClusterV1.ClusterService.descriptor.name else {
      throw ItemError.keyUnknown
    }
    return .admitted(user: "")
  }

  /// Returns why a key is rejected; `nil` if it is admitted, or if there is no key.
  ///
  /// - Parameters:
  ///   - key: The number of the key.
  ///   - method: What a call that waited is of, whose caller may have been restricted meanwhile.
  /// - Returns: The error for the caller.
  func refusal(ofKey key: Int64?, calling method: String = "") -> RPCError? {
    guard let key else { return nil }
    do {
      _ = try user(of: key, Self.returnsAccountStatus(method), claiming: nil)
      return nil
    } catch {
      return RPCError(callFailure: error)
    }
  }

  /// Returns the user of a key, or of a web credential.
  private func user(
    of key: Int64,
    _ returnsAccountStatus: @autoclosure () -> Bool,
    claiming claim: UnsafeRawBufferPointer?
  ) throws -> String {
    if key < 0 { return try webUser(of: key, returnsAccountStatus()) }
    let user: String
    switch try engine.standing(ofKey: key) {
    case .admitted(let name): user = name
    case .restricted(let name):
      guard !engine.isBeingErased(name) else { throw ItemError.beingErased }
      guard returnsAccountStatus() else { throw ItemError.restricted }
      user = name
    case .expired(_, let since): throw ItemError.keyExpired(since: since)
    case .revoked(_, let since): throw ItemError.keyRevoked(since: since)
    case .unknown: throw ItemError.keyUnknown
    }
    guard !engine.isBeingErased(user) else { throw ItemError.beingErased }
    if let claim, !claim.isEmpty, !claim.elementsEqual(user.utf8) {
      throw ItemError.anotherUser
    }
    return user
  }

  /// Returns the user of a web credential.
  private func webUser(
    of key: Int64,
    _ returnsAccountStatus: @autoclosure () -> Bool
  ) throws -> String {
    let user = try engine.webUser(ofKey: key)
    guard !engine.isBeingErased(user) else { throw ItemError.beingErased }
    guard try returnsAccountStatus() || !engine.isRestricted(user) else {
      throw ItemError.restricted
    }
    return user
  }

  private func admitClaimed(
    _ method: () -> MethodDescriptor?,
    _ claim: CallerClaim
  ) throws -> CallAdmission {
    guard engine.hasRestrictedUsers || engine.isErasing, let name = claim.user else {
      return .claimed
    }
    let user = String(decoding: name, as: UTF8.self)
    guard !engine.isBeingErased(user) else { throw ItemError.beingErased }
    guard try Self.returnsAccountStatus(method()?.fullName) || !engine.isRestricted(user) else {
      throw ItemError.restricted
    }
    return .claimed
  }

  /// Whether restricted users may call a method, to find out that they are restricted.
  private static func returnsAccountStatus(_ method: String?) -> Bool {
    method == TidingsV1.AccountService.Methods.fetchAccountStatus.fullName
  }

  /// Adds a rejection to the audit log, and returns the error for the caller.
  private func refusal(_ error: any Error, key: Int64?) -> RPCError {
    let detail =
      switch error {
      case let error as ItemError: error.message
      case let refusal as WebCredentialRefusal: ItemError(refusal).message
      default: ""
      }
    if !detail.isEmpty {
      let holder = key.flatMap { try? engine.holder(ofKey: $0) }
      audit.addRefusal(
        AuditEntry(
          "call",
          user: holder?.user ?? "",
          publicKey: holder?.keyText ?? "",
          isRefused: true,
          detail: detail
        )
      )
    }
    return RPCError(callFailure: error)
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
      "the key of this connection was revoked at \(time.utcText): generate a new pair, and ask an "
        + "administrator to authorize it"
    )
  }
  /// Returned to authenticated callers only.
  static let restricted = ItemError(
    .managedAccountRestricted,
    "this account was restricted by an administrator: ask an administrator to lift the restriction"
  )
  /// All data of the user is being deleted.
  static let beingErased = ItemError(
    .managedAccountRestricted,
    "this account and its data are being erased by an administrator: its calls are rejected"
  )
  fileprivate static let noGateway = ItemError(
    .permissionFailure,
    "only a gateway may send web credentials: an administrator can give the user of this connection's key "
      + "the role 'gateway'"
  )
  fileprivate static let twoCredentials = ItemError(
    .invalidArguments,
    "a server key and other web credentials cannot be combined: send one of them"
  )
  fileprivate static let anotherUser = ItemError(
    .permissionFailure,
    "the metadata 'tidings-user' is not the user of this connection's key: omit it"
  )
}
