internal import TidingsKeys
internal import TidingsProto
internal import TidingsRPC

extension ConformanceCase {
  /// Connections of callers who prove who they are.
  static func keys() -> [Self] {
    [
      Self("curve_call", needs: .curve) { stage in
        let server = try await stage.secureRecords()
        guard let keys = server.keys else { throw ConformanceError("the server has no keys") }
        try await stage.connect(.init(endpoint: server.rpcEndpoint, keys: keys))
        let response: TidingsV1.FetchUserRecordIDResponse = try await stage.call(
          TidingsV1.AccountService.Methods.fetchUserRecordID,
          TidingsV1.FetchUserRecordIDRequest()
        )
        try expectEqual("the user whose key it is", "root", response.userRecordName)
      },
      Self("bad_curve_key", needs: .curve) { stage in
        let server = try await stage.secureRecords()
        guard let keys = server.keys else { throw ConformanceError("the server has no keys") }
        // A pair that nobody admitted.
        try await isKeptOut(stage, server, ClientKeys(KeyPair(), server: keys.server))
      },
      Self("wrong_server_key", needs: .curve) { stage in
        let server = try await stage.secureRecords()
        guard let keys = server.keys else { throw ConformanceError("the server has no keys") }
        // The client takes another key for the server's: it must not send that server anything.
        try await isKeptOut(stage, server, ClientKeys(keys.pair, server: KeyPair().publicKey))
      },
      Self("no_curve_key", needs: .curve) { stage in
        let server = try await stage.secureRecords()
        try await isKeptOut(stage, server, nil)
      },
    ]
  }

  /// Connecting, or the call, fails, and in time.
  private static func isKeptOut(
    _ stage: Stage,
    _ server: RecordServer,
    _ keys: ClientKeys?
  ) async throws {
    let connect = TidingsConformanceV1.Connect(endpoint: server.rpcEndpoint, keys: keys)
    if case .refused = try await stage.perform(.connect(connect)) { return }
    let result = try await stage.invoke(
      .init(
        method: TidingsV1.AccountService.Methods.fetchUserRecordID.fullName,
        timeoutMs: stage.has(.deadlines) ? 5_000 : 0,
        isSafe: true
      )
    )
    let code = StatusCode(rawValue: result.status)
    let right: [StatusCode] = [.unauthenticated, .unavailable, .deadlineExceeded]
    try expect(
      right.contains(code),
      "the status: expected one of \(right), came \(code) '\(result.message)'"
    )
  }
}

extension TidingsConformanceV1.Connect {
  fileprivate init(endpoint: String, keys: ClientKeys?) {
    self.init(
      endpoint: endpoint,
      serverKey: keys.map { "\($0.server)" } ?? "",
      publicKey: keys.map { "\($0.pair.publicKey)" } ?? "",
      secretKey: keys.map { Z85.encode($0.pair.secretKey) } ?? ""
    )
  }
}
