internal import Synchronization
internal import TidingsClient
internal import TidingsProto

/// Inserts new records into sets: alone, in atomic batches, and in batches that must fail because one
/// record exists.
final class SetWorkload: Workload {
  private static let elementsPerSet: Int64 = 300

  private let stage: Stage
  private let zone: String
  /// Sets that were begun, and an element of each that is there.
  private let known = Mutex<[String: String]>([:])

  init(_ stage: Stage) {
    self.stage = stage
    zone = stage.runName
  }

  var zones: [String] { [zone] }

  func run(_ process: inout LogicalProcess) async throws {
    while stage.isOpen {
      switch process.random.below(100) {
      case 0..<60: try await insert(1, &process)
      case 60..<80: try await insert(3, &process)
      case 80..<92: try await insert(2, failing: true, &process)
      default:
        let sets = known.withLock { $0.keys.sorted() }
        if !sets.isEmpty { try await query(process.random.pick(sets), &process) }
      }
    }
  }

  func finish(_ process: inout LogicalProcess) async throws {
    for set in known.withLock({ $0.keys.sorted() }) {
      try await finalRead(set, &process) { [self] in try await queried(set, $0) }
    }
    try await finalRead("", &process) { [self] in try await ZoneRead(stage, zone).versions($0) }
  }

  // MARK: Inserts

  private func insert(
    _ count: Int,
    failing: Bool = false,
    _ process: inout LogicalProcess
  ) async throws {
    let values = (0..<count).map { _ in stage.recorder.newValue() }
    let set = "s\(values[0] / Self.elementsPerSet)"
    let existing = known.withLock { $0[set] }
    if failing, existing == nil { return }
    var call = Call(.insert, set)
    call.sent = values.map { Version("e\($0)", $0) }
    call = try await process.make(call) { [self] client, call in
      var elements = call.sent
      if failing, let existing { elements.append(Version(existing, 0)) }
      let request = request(elements, set)
      let results = try await client.records.modifyRecords(request).results
      call.got = zip(call.sent, results).compactMap { sent, result in
        result.savedTag.map { Version(sent.name, sent.value, tag: $0) }
      }
      guard let failure = results.last?.failure else { return }
      // What failed belongs to the batch, which is recorded as a whole if a part of it is stored.
      if call.got.isEmpty { call.fail(failure) } else { call.sent = elements }
    }
    // What is deleted behind the history exists for nobody: a batch with it would not fail.
    let isLost = try await commitFaults(call, failing, set)
    if call.outcome == .ok, !isLost { known.withLock { $0[set] = call.sent[0].name } }
  }

  private func request(_ elements: [Version], _ set: String) -> TidingsV1.ModifyRecordsRequest {
    let records = elements.map { version in
      var record = TidingsV1.Record("CheckElement", stage.recordID(version.name, in: zone), version)
      record.fields["set"] = .init(value: .stringValue(set))
      return record
    }
    return .init(
      databaseID: stage.database,
      recordsToSave: records,
      savePolicy: .ifServerRecordUnchanged,
      atomic: true
    )
  }

  /// Changes the set without a call in the history.
  ///
  /// - Returns: Whether an element of the call was deleted.
  private func commitFaults(_ call: Call, _ failing: Bool, _ set: String) async throws -> Bool {
    let isLost = call.outcome == .ok && stage.faults.isDue(.lostInsert)
    let isPhantom = failing && call.outcome == .failed && stage.faults.isDue(.phantomInsert)
    if isLost {
      let id = stage.recordID(call.sent[0].name, in: zone)
      _ = try await stage.insist {
        try await $0.records.modifyRecords(
          .init(databaseID: stage.database, recordIDsToDelete: [id])
        )
      }
    }
    if isPhantom {
      let request = request([call.sent[0]], set)
      _ = try await stage.insist { try await $0.records.modifyRecords(request) }
    }
    return isLost
  }

  // MARK: Reads

  private func query(_ set: String, _ process: inout LogicalProcess) async throws {
    try await process.make(Call(.list, set)) { [self] client, call in
      call.got = try await queried(set, client)
    }
  }

  private func queried(_ set: String, _ client: Client) async throws -> [Version] {
    var (found, cursor): ([Version], [UInt8]) = ([], [])
    for _ in 0..<stage.pagesMax {
      var request = TidingsV1.QueryRecordsRequest(
        databaseID: stage.database,
        recordType: "CheckElement",
        zoneID: stage.zoneID(zone),
        cursor: cursor
      )
      request.predicate = .init(
        text: "set == %@",
        arguments: [.init(value: .stringValue(set))]
      )
      let page = try await client.records.queryRecords(request)
      found += page.records.map(\.version)
      cursor = page.cursor
      if cursor.isEmpty { return found }
    }
    throw CheckError("the query of '\(set)' has no end: after each page there was one more")
  }

  private func finalRead(
    _ set: String,
    _ process: inout LogicalProcess,
    _ read: (Client) async throws -> [Version]
  ) async throws {
    try await process.make(Call(.list, set)) { [stage] _, call in
      call.got = try await stage.insist(read)
    }
  }
}
