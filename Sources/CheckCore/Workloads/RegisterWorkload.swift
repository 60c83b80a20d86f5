internal import Synchronization
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Fetches, saves, saves with a change tag and deletions of a few records.
///
/// A record is used for some calls only, then another one: the search for an order stays small.
final class RegisterWorkload: Workload {
  private static let recordsAtOnce = 2
  private static let callsPerRecord = 60
  /// How many of a hundred saves have an idempotency key: the client repeats these, which must not do them twice.
  private static let keyedShare = 30

  private struct State {
    /// Records in use, with their calls.
    var active: [(name: String, calls: Int)] = []
    var recordCount = 0
  }

  /// What one process knows of a record.
  private struct Known {
    /// The newest version that it has seen.
    var newest: Version
    /// The versions that it has saved one after the other.
    var own: [Version] = []
  }

  private let stage: Stage
  private let state = Mutex(State())
  private let zone: String

  init(_ stage: Stage) {
    self.stage = stage
    zone = stage.runName
  }

  var zones: [String] { [zone] }

  func run(_ process: inout LogicalProcess) async throws {
    var known: [String: Known] = [:]
    while stage.isOpen {
      let name = nextRecord(&process.random)
      if known[name] == nil {
        // Records of before are not used again.
        known = known.filter { entry in
          state.withLock { $0.active.contains { $0.name == entry.key } }
        }
        known[name] = Known(newest: Version(name))
      }
      var mine = known[name] ?? Known(newest: Version(name))
      switch process.random.below(100) {
      case 0..<40: try await read(name, &mine, &process)
      case 40..<65: try await write(name, &mine, &process)
      case 65..<95: try await swap(name, &mine, &process)
      default: try await delete(name, &process)
      }
      known[name] = mine
    }
  }

  func finish(_ process: inout LogicalProcess) async throws {
    for name in state.withLock({ $0.active.map(\.name) }) {
      var known = Known(newest: Version(name))
      try await read(name, &known, &process)
    }
  }

  private func nextRecord(_ random: inout SeededRandom) -> String {
    let choice = random.below(Self.recordsAtOnce)
    return state.withLock { state in
      while state.active.count < Self.recordsAtOnce {
        state.active.append(("r\(state.recordCount)", 0))
        state.recordCount += 1
      }
      let name = state.active[choice].name
      state.active[choice].calls += 1
      if state.active[choice].calls == Self.callsPerRecord { state.active.remove(at: choice) }
      return name
    }
  }

  // MARK: Calls

  private func read(
    _ name: String,
    _ known: inout Known,
    _ process: inout LogicalProcess
  ) async throws {
    let own = known.own
    let call = try await process.make(Call(.read, name)) { [self] client, call in
      let result = try await client.records.fetchRecords(
        .init(databaseID: stage.database, recordIDs: [stage.recordID(name, in: zone)])
      ).results.first
      call.got = [try found(result, name)]
      if own.count > 1, stage.faults.isDue(.staleRead) { call.got = [own[0]] }
    }
    if call.outcome == .ok, let version = call.got.first { known.newest = version }
  }

  private func found(_ result: TidingsV1.RecordResult?, _ name: String) throws -> Version {
    if case .record(let record)? = result?.outcome { return record.version }
    guard result?.failure?.code == .unknownItem else {
      throw CheckError("record '\(name)' was not fetched: \(String(describing: result))")
    }
    return Version(name)
  }

  private func write(
    _ name: String,
    _ known: inout Known,
    _ process: inout LogicalProcess
  ) async throws {
    var call = Call(.write, name)
    call.sent = [Version(name, stage.recorder.newValue())]
    if process.random.percent(Self.keyedShare) { call.manner = Call.keyed }
    call = try await process.make(call) { [self] client, call in
      try await save(call.sent[0], .allKeys, client, &call)
    }
    note(call, in: &known)
  }

  /// Saves with the newest change tag that the process knows, or with one that it has overwritten itself.
  private func swap(
    _ name: String,
    _ known: inout Known,
    _ process: inout LogicalProcess
  ) async throws {
    let isStale = known.own.count > 1 && process.random.percent(20)
    let expected = isStale ? known.own[0] : known.newest
    var call = Call(.swap, name)
    call.sent = [expected, Version(name, stage.recorder.newValue())]
    if process.random.percent(Self.keyedShare) { call.manner = Call.keyed }
    call = try await process.make(call) { [self] client, call in
      let sent = Version(name, call.sent[1].value, tag: expected.tag)
      try await save(sent, .ifServerRecordUnchanged, client, &call)
      if isStale, call.outcome == .failed, stage.faults.isDue(.failedAsOK) {
        call.outcome = .ok
        call.got = []
      }
    }
    note(call, in: &known)
  }

  private func delete(_ name: String, _ process: inout LogicalProcess) async throws {
    try await process.make(Call(.delete, name)) { [self] client, call in
      let result = try await client.records.modifyRecords(
        .init(databaseID: stage.database, recordIDsToDelete: [stage.recordID(name, in: zone)])
      ).results.first
      if let failure = result?.failure { call.fail(failure) }
    }
  }

  private func save(
    _ version: Version,
    _ policy: TidingsV1.SavePolicy,
    _ client: Client,
    _ call: inout Call
  ) async throws {
    let record = TidingsV1.Record("CheckRegister", stage.recordID(version.name, in: zone), version)
    let key = call.manner == Call.keyed ? "\(zone)-\(version.value ?? 0)" : nil
    let result = try await client.records.modifyRecords(
      .init(databaseID: stage.database, recordsToSave: [record], savePolicy: policy),
      options: CallOptions(idempotencyKey: key)
    ).results.first
    if let tag = result?.savedTag {
      call.got = [Version(version.name, version.value, tag: tag)]
      return
    }
    guard let failure = result?.failure else { return call.fail("no result") }
    switch failure.code {
    case .serverRecordChanged:
      call.fail(Call.conflict)
      if let stored = result?.serverRecord { call.got = [stored.version] }
    case .unknownItem:
      call.fail(Call.conflict)
      call.got = [Version(version.name)]
    default: call.fail(failure)
    }
  }

  private func note(_ call: Call, in known: inout Known) {
    guard let version = call.got.first else { return }
    known.newest = version
    guard call.outcome == .ok else { return }
    known.own.append(version)
    if known.own.count > 2 { known.own.removeFirst() }
  }
}
