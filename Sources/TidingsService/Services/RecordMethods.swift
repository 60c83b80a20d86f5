internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsWire
internal import TidingsZeroMQ

private typealias ResponseField = TidingsV1.ModifyRecordsResponse.FieldNumber
private typealias ResultField = TidingsV1.RecordResult.FieldNumber

/// RecordService.
struct RecordMethods {
  let engine: Engine
  let reads: ReadDispatch
  let feeds: WaitingFeeds
  let largeDecoding: LargeDecoding
  /// Queries show everybody which record types there are.
  let showsTypes: Bool

  /// Registers the methods.
  func register(_ calls: GroupedCalls, on loop: LoopContext) {
    typealias Methods = TidingsV1.RecordService.Methods
    calls.register(
      Methods.modifyRecords,
      .write,
      on: loop,
      repeating: { [self] in try repeatedRecords($0, $1) },
      expecting: { [self] in expectRecords($0, $1, looksUp: $2) },
      requestBytesMax: .max,
      handler: { [self] in try modifyRecords($0) }
    )
    registerFetch(calls, on: loop)
    registerQueries(on: loop)
    registerFeeds(on: loop)
  }

  // MARK: ModifyRecords

  /// Lets the engine know which records a call is going to read.
  private func expectRecords(
    _ caller: Caller,
    _ body: UnsafeRawBufferPointer,
    looksUp: Bool
  ) -> Bool {
    guard body.count < Self.decodedApartBytesMin,
      let changes = try? Self.changes(body, caller: caller, in: Arena())
    else { return true }
    let ids = changes.saves.map(\.recordID) + changes.deletions
    return engine.expect(ids, in: changes.database, by: caller, looksUp: looksUp)
  }

  private func modifyRecords(_ call: borrowing StoreCall) throws -> Outcome {
    let changes: RecordChanges
    if let decoded = (call.progress as? RecordsProgress)?.take() {
      changes = try decoded.get()
    } else {
      guard !call.caller.user.isEmpty else { throw ItemError.noUser }
      guard call.body.count < Self.decodedApartBytesMin || call.memory != nil else {
        let progress = RecordsProgress()
        let (caller, decoding) = (call.caller, largeDecoding)
        return .postponed(
          Postponement(
            cause: .computing { body, _ in
              decoding.withArena { progress.decode(body, for: caller, in: $0) }
              return true
            },
            progress: progress
          )
        )
      }
      changes = try Self.changes(call.body, caller: call.caller, in: call.arena)
    }
    do {
      let modified = try engine.modifyRecords(changes, caller: call.caller)
      if let observed = call.observed {
        let zones = changes.saves.map(\.recordID.zoneID) + changes.deletions.map(\.zoneID)
        observed.touched.zones = Set(zones).count
      }
      var answer = CallAnswer(response(to: modified, in: call.arena))
      if !modified.changedAnything {
        // It may as well be done again, and takes no room.
        answer.kept = .nothing
      } else if modified.hasConflicts {
        // Records of others are not kept: who repeats the call might not read them then.
        answer.kept = .reduced(response(to: modified.withoutConflicts, in: call.arena))
      }
      if !changes.isDryRun { count(modified, in: &answer, call.observed) }
      return .answered(answer)
    } catch is LongCall {
      // It need not be decoded again.
      return .postponed(
        Postponement(cause: .alone, progress: RecordsProgress(changes, changes.memory))
      )
    } catch let pending as MatchingPending {
      let memory = pending.memory
      return .postponed(
        Postponement(
          cause: .computing { _, slice in memory.work { slice.isOver } },
          progress: RecordsProgress(changes, memory)
        )
      )
    }
  }

  /// Calls of so many bytes are decoded on another thread.
  private static let decodedApartBytesMin = 256 << 10

  /// A call that saves records, between the runs of its handler.
  ///
  /// Unchecked: it is on the loop or with a worker, never with both.
  private final class RecordsProgress: CallProgress, @unchecked Sendable {
    private var decoded: Result<RecordChanges, any Error>?

    /// A call to be decoded.
    init() {}

    /// A call that was decoded, and what is known of its values.
    init(_ changes: RecordChanges, _ memory: EvaluationMemory?) {
      var changes = changes
      changes.memory = memory
      decoded = .success(changes)
    }

    func decode(_ body: KeptBody, for caller: Caller, in arena: borrowing Arena) {
      decoded = Result {
        var changes = try body.withUnsafeBytes {
          try RecordMethods.changes($0, caller: caller, in: arena)
        }
        changes.sentBytes = body.count
        return changes
      }
    }

    /// Hands over what was decoded, which is given back where it is used; the next run decodes again.
    func take() -> Result<RecordChanges, any Error>? {
      defer { decoded = nil }
      return decoded
    }
  }

  private func count(
    _ modified: ModifiedRecords,
    in answer: inout CallAnswer,
    _ observed: ObservedCall?
  ) {
    var (saved, deleted) = (0, modified.cascadedDeletions.count)
    for outcome in modified.outcomes {
      switch outcome {
      case .saved: saved += 1
      case .deleted: deleted += 1
      case .failed: break
      }
    }
    (answer.recordsSaved, answer.recordsDeleted) = (saved, deleted)
    observed?.touched.recordsSaved = saved
    observed?.touched.recordsDeleted = deleted
  }

  private static func changes(
    _ body: UnsafeRawBufferPointer,
    caller: Caller,
    in arena: borrowing Arena
  ) throws
    -> RecordChanges
  {
    let request = try ModifyRecordsMessage(body, in: arena)
    var changes = RecordChanges(
      database: try request.databaseID.model(for: caller),
      saves: request.saves,
      deletions: request.deletions,
      policy: try policy(request.policyNumber, "save_policy"),
      isAtomic: request.isAtomic
    )
    changes.refusals = request.refusals
    changes.isDryRun = request.isDryRun
    changes.clientChangeToken = request.clientChangeToken
    if !request.policyNumbers.isEmpty {
      try checkCount(
        of: request.policyNumbers,
        "save_policies",
        changes.saves.count,
        "records_to_save"
      )
      changes.policies = try request.policyNumbers.map { try policy($0, "save_policies") }
    }
    if !request.expectedTags.isEmpty {
      try checkCount(
        of: request.expectedTags,
        "expected_change_tags",
        changes.deletions.count,
        "record_ids_to_delete"
      )
      changes.expectedTags = request.expectedTags
    }
    return changes
  }

  private static func policy(
    _ number: Int32,
    _ field: String
  ) throws(ItemError) -> RecordChanges.SavePolicy {
    if number == 0 { return .ifServerRecordUnchanged }
    guard let policy = RecordChanges.SavePolicy(rawValue: number) else {
      throw ItemError(.invalidArguments, "\(field) \(number) is not known")
    }
    return policy
  }

  private static func checkCount(
    of list: [some Any],
    _ field: String,
    _ expected: Int,
    _ others: String
  ) throws(ItemError) {
    guard list.count == expected else {
      throw ItemError(
        .invalidArguments,
        "\(field) has \(list.count) entries and \(others) has \(expected): send one for each, or none"
      )
    }
  }

  private func response(
    to modified: ModifiedRecords,
    in arena: borrowing Arena
  )
    -> [UInt8]
  {
    var response = WireWriter(capacity: modified.outcomes.count * 160)
    for outcome in modified.outcomes {
      engine.pace.step()
      switch outcome {
      case .saved(let record):
        response.add(ResponseField.results, RecordWriter.encodeResult(record))
      case .deleted(let recordID):
        response.add(
          ResponseField.results,
          TidingsV1.RecordResult(recordID: .init(recordID), outcome: .deleted(true)).encoded(
            in: arena
          )
        )
      case .failed(let recordID, let error, let conflict):
        Self.addFailure(recordID, error, conflict, to: &response, in: arena)
      }
    }
    for deletion in modified.cascadedDeletions {
      engine.pace.step()
      let message = TidingsV1.CascadedDeletion(
        recordID: .init(deletion.recordID),
        recordType: deletion.recordType,
        targetID: .init(deletion.target)
      )
      response.add(ResponseField.cascadedDeletions, message.encoded(in: arena))
    }
    return response.bytes
  }

  // MARK: Results

  /// Adds a `RecordResult` with a record that is encoded already.
  static func addResult(
    _ id: RecordID,
    record: some Collection<UInt8>,
    to response: inout WireWriter
  ) {
    let name = id.recordName.utf8
    let owner = id.zoneID.ownerName.utf8
    let zoneBytes =
      id.zoneID == .default
      ? 0
      : WireSize.field(id.zoneID.zoneName.utf8.count)
        + (owner.isEmpty ? 0 : WireSize.field(owner.count))
    let idBytes =
      WireSize.field(name.count)
      + (zoneBytes == 0 ? 0 : WireSize.field(zoneBytes))
    response.addHead(
      ResponseField.results,
      bytes: WireSize.field(idBytes) + WireSize.field(record.count)
    )
    response.addHead(ResultField.recordID, bytes: idBytes)
    response.add(TidingsV1.RecordID.FieldNumber.recordName, name)
    if zoneBytes > 0 {
      response.addHead(TidingsV1.RecordID.FieldNumber.zoneID, bytes: zoneBytes)
      response.add(TidingsV1.ZoneID.FieldNumber.zoneName, id.zoneID.zoneName.utf8)
      if !owner.isEmpty { response.add(TidingsV1.ZoneID.FieldNumber.ownerName, owner) }
    }
    response.add(ResultField.record, record)
  }

  static func addFailure(
    _ id: RecordID,
    _ error: ItemError,
    _ conflict: ConflictRecords? = nil,
    to response: inout WireWriter,
    in arena: borrowing Arena
  ) {
    var result = WireWriter()
    result.append(
      TidingsV1.RecordResult(recordID: .init(id), outcome: .error(.init(error))).encoded(in: arena)
    )
    if conflict?.server != nil || conflict?.ancestor != nil {
      let name = id.zoneID.ownerName
      let owner = name.isEmpty ? [] : OwnerName.bytes(name)
      if let server = conflict?.server { result.add(ResultField.serverRecord, server + owner) }
      if let ancestor = conflict?.ancestor {
        result.add(ResultField.ancestorRecord, ancestor + owner)
      }
    }
    response.add(ResponseField.results, result.bytes)
  }
}
