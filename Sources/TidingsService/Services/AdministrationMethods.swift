internal import TidingsAudit
internal import TidingsCodec
internal import TidingsEngine
internal import TidingsKeys
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

/// What AdminService does in the store.
struct AdministrationMethods {
  let engine: Engine
  let rights: AdministrativeRights
  let reads: ReadDispatch
  /// The sizes of the store, for its statistics.
  let readers: any StoreReaders

  /// Registers the methods.
  func register(_ calls: GroupedCalls, on loop: LoopContext) {
    typealias Methods = TidingsV1.AdminService.Methods
    rights.administer(Methods.createUser, calls, on: loop) { [self] in try createUser($0) }
    rights.administer(Methods.updateUser, calls, on: loop) { [self] in try updateUser($0) }
    rights.administer(Methods.authorizeKey, calls, on: loop) { [self] in
      try authorizeKey($0)
    }
    rights.administer(Methods.revokeKey, calls, on: loop) { [self] in try revokeKey($0) }
    rights.administer(Methods.assignRoles, calls, on: loop) { [self] in try assignRoles($0)
    }
    calls.register(Methods.listUsers, .read, on: loop) { [self] call in
      try rights.requireAdministrator(call, Methods.listUsers)
      return try listUsers(call)
    }
    registerWebTokens(calls, on: loop)
    registerUserData(calls, on: loop)
    registerStatistics(on: loop)
  }

  // MARK: Users

  private func createUser(_ call: borrowing StoreCall) throws -> ([UInt8], String) {
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

  private func updateUser(_ call: borrowing StoreCall) throws -> ([UInt8], String) {
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

  private func assignRoles(_ call: borrowing StoreCall) throws -> ([UInt8], String) {
    let request = try TidingsV1.AssignRolesRequest(decoding: call.body.bytes, in: call.arena)
    let account = try engine.assignRoles(request.roles, to: request.userName)
    let response = TidingsV1.AssignRolesResponse(account: .init(account))
    return (
      response.encoded(in: call.arena),
      "user \(account.name)"
        + (account.roles.isEmpty ? ", no roles" : Self.listed("roles", account.roles))
    )
  }

  private func listUsers(_ call: borrowing StoreCall) throws -> [UInt8] {
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

  private func authorizeKey(_ call: borrowing StoreCall) throws -> ([UInt8], String) {
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

  private func revokeKey(_ call: borrowing StoreCall) throws -> ([UInt8], String) {
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

  private static func listed(_ what: String, _ items: [String]) -> String {
    items.isEmpty ? "" : ", \(what): \(items.joined(separator: ", "))"
  }
}
