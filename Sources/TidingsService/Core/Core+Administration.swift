internal import TidingsAudit
internal import TidingsCodec
internal import TidingsEngine
internal import TidingsKeys
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

extension Core {
  /// The answer to an administrator's call, and what it was about; an empty text is not noted.
  typealias AdministrativeAnswer = (answer: CallAnswer, about: String)

  /// Registers AdminService.
  func registerAdministration(on loop: LoopContext) {
    typealias Methods = TidingsV1.AdminService.Methods
    administer(Methods.createUser, on: loop) { [self] in try createUser($0) }
    administer(Methods.updateUser, on: loop) { [self] in try updateUser($0) }
    administer(Methods.authorizeKey, on: loop) { [self] in try authorizeKey($0) }
    administer(Methods.revokeKey, on: loop) { [self] in try revokeKey($0) }
    administer(Methods.assignRoles, on: loop) { [self] in try assignRoles($0) }
    calls.register(Methods.listUsers, .read, on: loop) { [self] call in
      try requireAdministrator(call, Methods.listUsers)
      return try listUsers(call)
    }
    registerStatistics(on: loop)
    registerOperation(on: loop)
  }

  // MARK: Users

  private func createUser(_ call: borrowing Call) throws -> ([UInt8], String) {
    let request = try TidingsV1.CreateUserRequest(decoding: call.body.bytes, in: call.arena)
    let account = try engine.createUser(
      AccountRequest(
        request.name,
        displayName: request.displayName,
        roles: request.roles,
        key: try request.publicKey.map { try $0.keyRequest },
        quota: request.quota.map { $0.model }
      )
    )
    let response = TidingsV1.CreateUserResponse(account: .init(account))
    return (
      response.encoded(in: call.arena),
      "user \(account.name)" + Self.listed("roles", account.roles)
        + Self.listed("key", account.keys.map(\.publicKey.description))
    )
  }

  private func updateUser(_ call: borrowing Call) throws -> ([UInt8], String) {
    let request = try TidingsV1.UpdateUserRequest(decoding: call.body.bytes, in: call.arena)
    guard request.quota == nil || !request.removesQuota else {
      throw ItemError(
        .invalidArguments,
        "quota and removes_quota cannot be combined: set one of them"
      )
    }
    let account = try engine.updateUser(
      request.userName,
      AccountChange(
        displayName: request.displayName,
        isRestricted: request.restricted,
        quota: request.removesQuota ? .remove : request.quota.map { .set($0.model) }
      )
    )
    var changes: [String] = []
    if let restricted = request.restricted {
      changes.append(restricted ? "restricted" : "admitted")
    }
    if request.displayName != nil { changes.append("display name") }
    if request.quota != nil { changes.append("quota") }
    if request.removesQuota { changes.append("quota removed") }
    let response = TidingsV1.UpdateUserResponse(account: .init(account))
    return (
      response.encoded(in: call.arena),
      "user \(account.name)" + Self.listed("changes", changes)
    )
  }

  private func assignRoles(_ call: borrowing Call) throws -> ([UInt8], String) {
    let request = try TidingsV1.AssignRolesRequest(decoding: call.body.bytes, in: call.arena)
    let account = try engine.assignRoles(request.roles, to: request.userName)
    let response = TidingsV1.AssignRolesResponse(account: .init(account))
    return (
      response.encoded(in: call.arena),
      "user \(account.name)"
        + (account.roles.isEmpty ? ", no roles" : Self.listed("roles", account.roles))
    )
  }

  private func listUsers(_ call: borrowing Call) throws -> [UInt8] {
    let request = try TidingsV1.ListUsersRequest(decoding: call.body.bytes, in: call.arena)
    var response = TidingsV1.ListUsersResponse()
    if request.userNames.isEmpty {
      let limit =
        request.limit == 0 ? Self.usersPageMax : min(Int(request.limit), Self.usersPageMax)
      let page = try engine.accounts(after: request.after, limit: limit)
      response.accounts = page.accounts.map { .init($0) }
      response.moreComing = page.moreComing
      if request.after.isEmpty { response.guestKeys = try engine.guestKeys().map { .init($0) } }
    } else {
      guard request.userNames.count <= Self.usersPageMax else {
        throw ItemError(
          .limitExceeded,
          "the call names \(request.userNames.count) users and may name \(Self.usersPageMax): split it"
        )
      }
      response.accounts = try Set(request.userNames).sorted().map { .init(try engine.account($0)) }
    }
    return response.encoded(in: call.arena)
  }

  /// Users on a page: each takes a few statements, and the loop waits for them.
  private static let usersPageMax = 100

  // MARK: Keys

  private func authorizeKey(_ call: borrowing Call) throws -> ([UInt8], String) {
    let request = try TidingsV1.AuthorizeKeyRequest(decoding: call.body.bytes, in: call.arena)
    guard let key = try request.publicKey?.keyRequest else {
      throw ItemError(.invalidArguments, "public_key is missing")
    }
    let account = try engine.authorizeKey(key, of: request.userName)
    let response = TidingsV1.AuthorizeKeyResponse(account: account.map { .init($0) })
    return (
      response.encoded(in: call.arena),
      "key \(key.publicKey) of \(account.map { "user \($0.name)" } ?? "guests")"
        + (key.expires.map { ", expires \($0.utcText)" } ?? "")
    )
  }

  private func revokeKey(_ call: borrowing Call) throws -> ([UInt8], String) {
    let request = try TidingsV1.RevokeKeyRequest(decoding: call.body.bytes, in: call.arena)
    let key = try PublicKey(ofText: request.publicKey)
    let (account, rotatedCount) = try engine.revokeKey(key)
    let response = TidingsV1.RevokeKeyResponse(
      account: account.map { .init($0) },
      rotatedChannelCount: UInt32(clamping: rotatedCount)
    )
    return (
      response.encoded(in: call.arena),
      "key \(key) of \(account.map { "user \($0.name)" } ?? "guests")"
    )
  }

  // MARK: Who may

  /// Lets administrators call a method that changes something, and notes what they did.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - access: What it does to the store.
  ///   - loop: The loop.
  ///   - repeating: Makes of the first answer what a repeated call gets.
  ///   - keeping: Whether its answers are kept for idempotency keys.
  ///   - handler: Its answer, and what is noted.
  func administer(
    _ method: MethodDescriptor,
    _ access: StoreAccess = .write,
    on loop: LoopContext,
    repeating: @escaping Answering.Repetition = { $1 },
    keeping: Answering.Keeping = .whileThereIsRoom,
    handler: @escaping (borrowing Call) throws -> AdministrativeAnswer
  ) {
    let repeated: Answering.Repetition = { [self] call, answer in
      try requireAdministrator(call, method)
      return try repeating(call, answer)
    }
    calls.register(
      method,
      access,
      on: loop,
      repeating: repeated,
      keeping: keeping,
      handler: { [self] call in
        try requireAdministrator(call, method)
        do {
          var (answer, about) = try handler(call)
          if !about.isEmpty {
            answer.effects.audits.append(entry(method, call, isRefused: false, about))
          }
          return .answered(answer)
        } catch let error as ItemError {
          audit.addRefusal(entry(method, call, isRefused: true, error.message))
          throw error
        }
      }
    )
  }

  /// The same for a method whose calls have no other effect than what they write.
  func administer(
    _ method: MethodDescriptor,
    _ access: StoreAccess = .write,
    on loop: LoopContext,
    keeping: Answering.Keeping = .whileThereIsRoom,
    _ handler: @escaping (borrowing Call) throws -> ([UInt8], String)
  ) {
    administer(
      method,
      access,
      on: loop,
      keeping: keeping,
      handler: { call in
        let (body, about) = try handler(call)
        return (CallAnswer(body), about)
      }
    )
  }

  /// Refuses a call with an idempotency key if its caller has no room for the answer.
  func requireRoomForAnswer(to call: borrowing Call) throws {
    if call.hasKey { try engine.checkRoomForAnswers(of: call.caller.user) }
  }

  /// Refuses a caller who may not administer the server; in development mode everybody may.
  func requireAdministrator(_ call: borrowing Call, _ method: MethodDescriptor) throws {
    try requireAdministrator(call.caller, keyNumber: call.keyNumber, method)
  }

  /// Refuses a caller who may not administer the server; in development mode everybody may.
  func requireAdministrator(
    _ caller: Caller,
    keyNumber: Int64?,
    _ method: MethodDescriptor
  ) throws {
    guard callerMode == .authenticated, try !engine.isAdministrator(caller.user) else { return }
    let error =
      caller.user.isEmpty
      ? ItemError(.notAuthenticated, "the key of this connection has no account, and so no roles")
      : ItemError(.permissionFailure, "\(method.name) needs the role 'admin'")
    audit.addRefusal(
      entry(method, caller, keyNumber: keyNumber, isRefused: true, error.message)
    )
    throw error
  }

  /// Refuses a caller who may not change schemas; in development mode every user may.
  func requireDeveloper(
    _ call: borrowing Call,
    of container: String,
    _ method: MethodDescriptor
  ) throws {
    guard !call.caller.user.isEmpty else { throw ItemError.noUser }
    guard callerMode == .authenticated,
      try !engine.isDeveloper(call.caller.user, of: container)
    else { return }
    let error = ItemError(
      .permissionFailure,
      "\(method.name) needs the role 'developer', '\(container)/developer' or 'admin': an "
        + "administrator can give it (rpcctl users roles)"
    )
    audit.addRefusal(entry(method, call, isRefused: true, error.message))
    throw error
  }

  /// An entry of the audit log on a change of a schema.
  func schemaChange(
    _ method: MethodDescriptor,
    _ caller: Caller,
    _ keyNumber: Int64?,
    _ about: String
  ) -> AuditEntry {
    var entry = entry(method, caller, keyNumber: keyNumber, isRefused: false, about)
    entry.kind = .schemas
    return entry
  }

  private func entry(
    _ method: MethodDescriptor,
    _ call: borrowing Call,
    isRefused: Bool,
    _ detail: String
  ) -> AuditEntry {
    entry(method, call.caller, keyNumber: call.keyNumber, isRefused: isRefused, detail)
  }

  /// An entry of the audit log on a call.
  func entry(
    _ method: MethodDescriptor,
    _ caller: Caller,
    keyNumber: Int64?,
    isRefused: Bool,
    _ detail: String
  ) -> AuditEntry {
    let key = keyNumber.flatMap { try? engine.holder(ofKey: $0) }
    return AuditEntry(
      method.name,
      user: caller.user,
      publicKey: key?.keyText ?? "",
      isRefused: isRefused,
      detail: detail
    )
  }

  private static func listed(_ what: String, _ items: [String]) -> String {
    items.isEmpty ? "" : ", \(what): \(items.joined(separator: ", "))"
  }
}
