internal import RandomSupport
internal import Synchronization
internal import TestSupport
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// A server that is killed now and then, the bad connections to it, and the book of what it
/// acknowledged.
final class ProofWorld: Sendable {
  static let users = ["ada", "bob", "cyd", "dan", "eve"]
  /// How often devices look at the log though nothing shows them to.
  static let reconcileIntervals: [Duration] = [.seconds(2), .seconds(4), .seconds(15)]

  let ledger = Observed(ProofLedger())
  /// All writers are done: who waits for something to happen need not any longer.
  let isQuiet = Observed(false)
  /// Which device marked which notification read, by user.
  let marks = Observed<[String: [String: String]]>([:])
  /// What a device had and its user has not, by user.
  let unknown = Observed<[String: Set<String>]>([:])
  /// The devices' disks.
  let folder: TemporaryFolder
  let pushes: PushProxy
  let calls: CallProxy
  private let server: Observed<TestServer>
  private let gates: [Oracle.Database: SharedGate]
  private let markGate = SharedGate()

  init(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    folder = try TemporaryFolder()
    let faults = PushProxy.Faults(lost: 6, doubled: 8, heldBack: 6)
    pushes = try PushProxy(faults, seed: random.next())
    let first = try await TestServer.startLasting(
      arguments: [
        "--advertise-push", pushes.endpoint,
        // Pages that end anywhere, pushes that are merged or too large.
        "--limit", "page-items-max=\(random.pick([3, 20, 1000]))",
        "--limit", "pushes-per-second-max=\(random.pick([5, 1000]))",
        "--limit", "push-bytes-max=\(random.pick([256, 4096]))",
      ] + (random.oneIn(3) ? ["--unsealed-pushes"] : [])
    )
    pushes.connect(to: first.pushEndpoint)
    calls = try CallProxy(to: first.rpcEndpoint, cutWithin: 60_000, seed: random.next())
    server = Observed(first)
    let databases = [Oracle.Database(owner: nil)] + Self.users.map { Oracle.Database(owner: $0) }
    gates = Dictionary(uniqueKeysWithValues: databases.map { ($0, SharedGate()) })
    // Subscriptions are saved before records have taught their fields.
    let ada = try await client(.init("ada", ""))
    for type in OracleFields.types {
      try await ada.declare(type, "n INT64", "city STRING", "tags LIST<STRING>")
    }
    await ada.close()
  }

  /// Ends the server.
  func end() async throws { try await server.value.crash() }

  /// Kills the server and starts it again; its subscribers may notice, or not.
  func crash(isNoticed: Bool) async throws {
    try await server.value.crash()
    if isNoticed { pushes.disconnectSubscribers() }
    let next = try await server.value.restarted()
    server.update { $0 = next }
  }

  /// Nothing is lost from now on, and nothing marked read.
  func calm() async {
    pushes.use(.none)
    calls.behave()
    isQuiet.update { $0 = true }
    // Who waits for deeds looks again.
    ledger.update { _ in }
    await markGate.alone {}
  }

  func client(
    _ caller: Oracle.Caller,
    reconcileInterval: Duration = .seconds(60)
  ) async throws -> Client {
    var configuration = ClientConfiguration(endpoint: calls.endpoint)
    configuration.user = caller.user
    configuration.device = caller.device
    configuration.timeout = .seconds(600)
    configuration.connectTimeout = .seconds(600)
    configuration.reconcileInterval = reconcileInterval
    return try await Client(configuration)
  }

  /// Calls until there is an answer.
  func insist<R>(_ call: () async throws -> R) async throws -> R {
    while true {
      do {
        return try await call()
      } catch let error as RPCError
        where [.unavailable, .deadlineExceeded, .aborted, .resourceExhausted].contains(error.code)
      {
        try await Task.sleep(for: .milliseconds(5))
      }
    }
  }

  /// Waits until so much more has happened, or nothing more will.
  func waitForDeeds(_ count: Int) async throws {
    let goal = ledger.value.count + count
    let quiet = isQuiet
    try await ledger.wait("\(count) deeds", for: .seconds(600)) {
      $0.count >= goal || quiet.value
    }
  }

  // MARK: Deeds

  /// Saves and deletes records beside others who do.
  func modify(
    _ request: TidingsV1.ModifyRecordsRequest,
    key: String,
    in database: Oracle.Database,
    by caller: Oracle.Caller,
    with client: Client
  ) async throws {
    var request = request
    request.databaseID = database.id
    try await gate(database).together {
      let response = try await insist {
        try await client.records.modifyRecords(request, options: CallOptions(idempotencyKey: key))
      }
      guard let call = ProofCall(request, response, by: caller) else {
        throw WaitingFailure(description: "\(request.brief)\ngot \(response.results.map(\.brief))")
      }
      ledger.update { $0.add(call, in: database) }
    }
  }

  /// Marks notifications of a device read that no other device marks.
  func markRead(_ ids: [String], by caller: Oracle.Caller, with client: Client) async throws {
    try await markGate.together {
      guard !isQuiet.value else { return }
      let results = try await insist {
        try await client.notifications.markNotificationsRead(.init(notificationIDs: ids)).results
      }
      for (id, result) in zip(ids, results) {
        switch result.outcome {
        case .markedRead: marks.update { $0[caller.user, default: [:]][id] = caller.device }
        case .error(let error) where error.code == .unknownItem:
          unknown.update { _ = $0[caller.user, default: []].insert(id) }
        default: throw WaitingFailure(description: "not marked read: \(result)")
        }
      }
    }
  }

  /// Does what nothing else may run beside in a database.
  func alone(
    in database: Oracle.Database,
    by caller: Oracle.Caller,
    _ deed: () async throws -> [ProofLedger.Deed]
  ) async throws {
    try await gate(database).alone {
      for deed in try await deed() {
        ledger.update { $0.add(deed, by: caller, in: database) }
      }
    }
  }

  private func gate(_ database: Oracle.Database) throws -> SharedGate {
    guard let gate = gates[database] else { throw WaitingFailure(description: "no \(database)") }
    return gate
  }
}
