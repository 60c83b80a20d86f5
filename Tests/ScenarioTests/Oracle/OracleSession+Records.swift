internal import TestSupport
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

extension OracleSession {
  private typealias Answer = Result<TidingsV1.ModifyRecordsResponse, RPCError>

  mutating func modify(
    _ change: OracleOperation.Change,
    _ mishap: OracleOperation.Mishap
  ) async throws {
    let client = try client(of: change.caller)
    // With the key the client repeats a call whose connection was lost.
    async let pending = Self.send(change, with: client)
    if case .killed(let delay) = mishap {
      // A random pause, so that each kill comes at another point of the call.
      try await Task.sleep(for: .microseconds(delay))
      try await restart(killing: true)
    }
    let answer = await pending
    var mayBeKept = false
    if case .killed = mishap { mayBeKept = true }
    check(answer, of: change, mayBeKept: mayBeKept)
    guard case .repeated(let afterRestart) = mishap, !change.request.dryRun else { return }
    if afterRestart { try await restart(killing: true) }
    let again = await Self.send(change, with: client)
    if case (.success(let first), .success(let second)) = (answer, again) {
      // What is kept has no records of conflicts.
      compare("the repeated call", second.withoutConflicts, first.withoutConflicts)
    } else if case (.failure, .failure) = (answer, again) {
    } else {
      complain("the repeated call: \(again), at first \(answer)")
    }
  }

  mutating func burst(_ changes: [OracleOperation.Change]) async throws {
    let isIndependent = changes.allSatisfy { change in
      change.request.recordsToSave.allSatisfy { oracle.knowsFields(of: $0) }
    }
    guard isIndependent else {
      for change in changes { try await modify(change, .none) }
      return
    }
    let sent = try changes.map { (change: $0, client: try client(of: $0.caller)) }
    let answers = await withTaskGroup(of: (Int, Answer).self) { group in
      for (index, (change, client)) in sent.enumerated() {
        group.addTask { (index, await Self.send(change, with: client)) }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for (index, change) in changes.enumerated() {
      if let answer = answers[index] { check(answer, of: change) }
    }
  }

  private static func send(
    _ change: OracleOperation.Change,
    with client: Client
  ) async -> Answer {
    do {
      let options = CallOptions(timeout: .seconds(600), idempotencyKey: change.key)
      return .success(try await client.records.modifyRecords(change.request, options: options))
    } catch {
      return .failure(error)
    }
  }

  /// - Parameters:
  ///   - answer: What the call was answered.
  ///   - change: The call.
  ///   - mayBeKept: The answer may be that of an earlier attempt, which is kept without records of conflicts.
  private mutating func check(
    _ answer: Answer,
    of change: OracleOperation.Change,
    mayBeKept: Bool = false
  ) {
    let request = change.request
    switch answer {
    case .failure(let error):
      let isExpected = request.isRefused(by: change.caller) && error.code == .invalidArgument
      if !isExpected { complain("the call failed: \(error)") }
    case .success(let response):
      guard !request.isRefused(by: change.caller) else {
        return complain("the call did not fail")
      }
      let plan = oracle.plan(request, in: change.database, by: change.caller)
      let reported = mayBeKept ? response.withConflicts(of: plan) : response
      if let difference = plan.difference(to: reported) { return complain(difference) }
      guard !request.dryRun else { return }
      oracle.apply(
        plan,
        cascadeInOrder: response.cascadedDeletions.compactMap(\.recordID),
        mark: request.clientChangeTokenData,
        in: change.database,
        by: change.caller
      )
      noteChange()
    }
  }

  mutating func fetch(
    _ ids: [TidingsV1.RecordID],
    _ keys: [String]?,
    _ client: Client,
    _ database: Oracle.Database
  ) async throws {
    let results = try await client.records.fetchRecords(
      .init(databaseID: database.id, recordIDs: ids, desiredKeys: keys.map { .init(keys: $0) })
    ).results.map { $0.normalized() }
    compare("fetch", results, oracle.fetch(ids, keys: keys, in: database), \.brief)
  }
}

extension TidingsV1.ModifyRecordsRequest {
  /// Whether the call fails as a whole.
  fileprivate func isRefused(by caller: Oracle.Caller) -> Bool {
    let ids = recordsToSave.compactMap(\.recordID) + recordIDsToDelete
    let isMarkWithoutDevice = !clientChangeTokenData.isEmpty && caller.device.isEmpty
    return Set(ids).count < ids.count || isMarkWithoutDevice
  }
}

extension TidingsV1.ModifyRecordsResponse {
  /// The same with the records of conflicts that a plan has, where none are.
  fileprivate func withConflicts(of plan: Oracle.Modification) -> Self {
    var response = self
    for (index, expected) in plan.results.enumerated() where index < response.results.count {
      let result = response.results[index]
      guard let code = result.error?.code, [.serverRecordChanged, .unknownItem].contains(code),
        result.serverRecord == nil, result.ancestorRecord == nil
      else {
        continue
      }
      response.results[index].serverRecord = expected.serverRecord
      response.results[index].ancestorRecord = expected.ancestorRecord
    }
    return response
  }

  fileprivate var withoutConflicts: Self {
    var response = self
    for index in response.results.indices {
      response.results[index].serverRecord = nil
      response.results[index].ancestorRecord = nil
    }
    return response
  }
}
