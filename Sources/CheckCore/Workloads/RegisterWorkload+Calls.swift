internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

extension RegisterWorkload {
  @discardableResult
  func read(
    _ name: String,
    _ known: inout Known,
    _ process: inout LogicalProcess
  ) async throws -> Call {
    let own = known.own
    let call = try await process.make(Call(.read, name)) { [self] client, call in
      let result = try await client.records.fetchRecords(
        .init(databaseID: stage.database, recordIDs: [stage.recordID(name, in: zone)])
      ).results.first
      call.got = [try found(result, name)]
      if own.count > 1, stage.faults.isDue(.staleRead) { call.got = [own[0]] }
    }
    if call.outcome == .ok, let version = call.got.first { known.newest = version }
    return call
  }

  private func found(_ result: TidingsV1.RecordResult?, _ name: String) throws -> Version {
    if case .record(let record)? = result?.outcome { return record.version }
    guard result?.failure?.code == .unknownItem else {
      throw CheckError("record '\(name)' was not fetched: \(String(describing: result))")
    }
    return Version(name)
  }

  func write(
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
  func swap(
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

  func delete(_ name: String, _ process: inout LogicalProcess) async throws {
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
    let request = TidingsV1.ModifyRecordsRequest(
      databaseID: stage.database,
      recordsToSave: [record],
      savePolicy: policy
    )
    let options = CallOptions(idempotencyKey: key)
    var result = try await client.records.modifyRecords(request, options: options).results.first
    // Sent again as if the answer had been lost. If there is no second one, the save was acknowledged anyway.
    if key != nil, result?.savedTag != nil,
      let repeated = try? await client.records.modifyRecords(request, options: options)
    {
      result = repeated.results.first
    }
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
