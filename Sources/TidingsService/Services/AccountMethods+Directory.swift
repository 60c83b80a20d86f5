internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsZeroMQ

extension AccountMethods {
  /// Registers the methods of AccountService about other users.
  func registerDirectory(_ calls: GroupedCalls, on loop: LoopContext) {
    typealias Methods = TidingsV1.AccountService.Methods
    calls.register(Methods.fetchUsers, .read, on: loop) { [self] in try fetchUsers($0) }
    calls.register(Methods.fetchDirectoryEntry, .read, on: loop) { [self] in
      try fetchDirectoryEntry($0)
    }
    calls.register(Methods.updateDirectoryEntry, .write, on: loop) { [self] in
      try updateDirectoryEntry($0)
    }
    calls.register(Methods.listDirectory, .read, on: loop) { [self] in try listDirectory($0) }
  }

  private func fetchUsers(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.FetchUsersRequest(decoding: call.body.bytes, in: call.arena)
    let caller = try user(of: call)
    let container = try containerName(request.container)
    let environment = try request.environment.model
    try engine.limits.check(itemCount: request.lookups.count)
    let results = try request.lookups.enumerated().map { index, lookup in
      var result = TidingsV1.UserResult(lookup: lookup)
      do {
        let found = try engine.findUser(
          try lookup.model(at: index),
          for: caller,
          in: container,
          environment
        )
        result.outcome = .user(.init(found))
      } catch let error as ItemError {
        result.outcome = .error(.init(error))
      }
      return result
    }
    return TidingsV1.FetchUsersResponse(results: results).encoded(in: call.arena)
  }

  private func fetchDirectoryEntry(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.FetchDirectoryEntryRequest(
      decoding: call.body.bytes,
      in: call.arena
    )
    let entry = try engine.directoryEntry(
      of: try user(of: call),
      in: try containerName(request.container),
      try request.environment.model
    )
    return TidingsV1.FetchDirectoryEntryResponse(entry: entry.map { .init($0) })
      .encoded(in: call.arena)
  }

  private func updateDirectoryEntry(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.UpdateDirectoryEntryRequest(
      decoding: call.body.bytes,
      in: call.arena
    )
    let entry = try engine.updateDirectory(
      request.entry.map { DirectoryEntry($0) },
      of: try user(of: call),
      in: try containerName(request.container),
      try request.environment.model
    )
    return TidingsV1.UpdateDirectoryEntryResponse(entry: entry.map { .init($0) })
      .encoded(in: call.arena)
  }

  private func listDirectory(_ call: borrowing StoreCall) throws -> [UInt8] {
    let request = try TidingsV1.ListDirectoryRequest(decoding: call.body.bytes, in: call.arena)
    _ = try user(of: call)
    let pageMax = Self.directoryPageMax
    let page = try engine.directoryPage(
      of: try containerName(request.container),
      try request.environment.model,
      after: request.after,
      limit: request.limit == 0 ? pageMax : min(Int(request.limit), pageMax)
    )
    return TidingsV1.ListDirectoryResponse(
      users: page.users.map { .init($0) },
      moreComing: page.moreComing
    ).encoded(in: call.arena)
  }

  /// Most users on a page.
  private static let directoryPageMax = 100

  /// Who calls; a guest does not see other users.
  private func user(of call: borrowing StoreCall) throws(ItemError) -> String {
    guard !call.caller.user.isEmpty else { throw ItemError.noUser }
    return call.caller.user
  }
}
