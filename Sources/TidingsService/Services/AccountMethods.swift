internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsZeroMQ

/// AccountService.
struct AccountMethods {
  let engine: Engine

  /// Registers the methods.
  func register(_ calls: GroupedCalls, on loop: LoopContext) {
    registerDirectory(calls, on: loop)
    registerWebSessions(calls, on: loop)
    typealias Methods = TidingsV1.AccountService.Methods
    calls.register(Methods.fetchAccountStatus, .read, on: loop) { [self] in
      try fetchAccountStatus($0)
    }
    calls.register(Methods.fetchUserRecordID, .read, on: loop) { call in
      let request = try TidingsV1.FetchUserRecordIDRequest(
        decoding: call.body.bytes,
        in: call.arena
      )
      guard !call.caller.user.isEmpty else { throw ItemError.noUser }
      _ = try containerName(request.container)
      return TidingsV1.FetchUserRecordIDResponse(userRecordName: call.caller.user)
        .encoded(in: call.arena)
    }
  }

  private func fetchAccountStatus(_ call: borrowing StoreCall) throws -> [UInt8] {
    _ = try TidingsV1.FetchAccountStatusRequest(decoding: call.body.bytes, in: call.arena)
    let user = call.caller.user
    var response = TidingsV1.FetchAccountStatusResponse(status: .noAccount)
    if !user.isEmpty {
      response.status = try engine.isRestricted(user) ? .restricted : .available
      response.userRecordName = user
      response.roles = try engine.roles(of: user)
      response.quota = .init(try engine.quota(of: user))
      response.usage = try engine.usage(of: user).map { .init($0) }
    }
    if let number = call.keyNumber, let expires = try engine.holder(ofKey: number)?.expires {
      response.keyExpiresMs = UInt64(clamping: expires.millisecondsSince1970)
    }
    return response.encoded(in: call.arena)
  }
}
