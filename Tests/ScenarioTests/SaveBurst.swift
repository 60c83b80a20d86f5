internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC
internal import TidingsZeroMQ

/// Saves that are under way at the same time, by ada's device `burst`; each is repeated until it is acknowledged.
struct SaveBurst: Sendable {
  /// The names of the calls that are acknowledged.
  let acknowledged = Observed<[String]>([])
  private let calls: [Task<Void, Never>]

  /// Begins all of them.
  ///
  /// - Parameters:
  ///   - name: The call `i` is `name-i`, and its record `j` is `name-i-j`.
  ///   - callCount: How many calls.
  ///   - recordCount: How many records each of them saves.
  ///   - server: Where.
  ///   - together: The server gets none of them before all are sent.
  /// - Throws: What a call throws that comes before.
  init(
    _ name: String,
    calls callCount: Int,
    records recordCount: Int,
    at server: TestServer,
    together: Bool
  ) async throws {
    let sent = Observed(0)
    var configuration = ClientConfiguration(endpoint: server.rpcEndpoint)
    (configuration.user, configuration.device) = ("ada", "burst")
    configuration.timeout = .seconds(600)
    configuration.connectTimeout = .seconds(60)
    configuration.observer = { frames in
      guard case .sent = frames else { return }
      sent.update { $0 += 1 }
    }
    let client = try await Client(configuration)
    _ = try await client.server.fetchServerInfo(.init())
    let before = sent.value
    if together { try server.process.pause() }
    calls = (0..<callCount).map { [acknowledged] index in
      Task {
        let call = "\(name)-\(index)"
        let records = (0..<recordCount).map { TidingsV1.Record("Houses", "\(call)-\($0)") }
        guard let results = await Self.save(records, key: call, with: client) else { return }
        #expect(results.allSatisfy { $0.record != nil })
        acknowledged.update { $0.append(call) }
      }
    }
    guard together else { return }
    try await sent.wait("calls") { $0 >= before + callCount }
    server.process.resume()
  }

  /// - Returns: The results; `nil`: the task is cancelled, or the call failed as it must not.
  private static func save(
    _ records: [TidingsV1.Record],
    key: String,
    with client: Client
  ) async -> [TidingsV1.RecordResult]? {
    while true {
      do {
        return try await client.modify(records, key: key)
      } catch {
        guard !Task.isCancelled else { return nil }
        guard (error as? RPCError)?.code == .unavailable else {
          Issue.record(error)
          return nil
        }
        // Whoever starts the server again needs the processor too.
        try? await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  /// Ends those that are not acknowledged.
  ///
  /// - Returns: The names of the others.
  func end() async -> [String] {
    for call in calls { call.cancel() }
    for call in calls { await call.value }
    return acknowledged.value
  }
}
