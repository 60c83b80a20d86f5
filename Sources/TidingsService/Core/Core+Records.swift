internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtoC
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsZeroMQ

extension Core {
  /// Registers the methods of RecordService that the store answers.
  func registerRecords(on loop: LoopContext) {
    typealias Methods = TidingsV1.RecordService.Methods
    register(
      Methods.modifyRecords,
      .write,
      on: loop,
      repeating: { [self] in try repeatedRecords($0, $1) },
      { [self] in try modifyRecords($0) }
    )
    register(Methods.fetchRecords, .read, on: loop) { [self] in try fetchRecords($0) }
  }

  // MARK: ModifyRecords

  private func modifyRecords(_ call: borrowing Call) throws -> [UInt8] {
    let changes: RecordChanges
    if let progress = call.progress as? RecordsProgress {
      changes = try progress.changes(for: call.caller)
    } else {
      guard !call.caller.user.isEmpty else { throw ItemError.noUser }
      guard call.body.count < Self.decodedApartBytesMin else {
        let progress = RecordsProgress(Array(call.body))
        let caller = call.caller
        throw CallPostponed(
          cause: .computing { _ in
            progress.decode(for: caller)
            return true
          },
          progress: progress
        )
      }
      changes = try Self.changes(call.body, caller: call.caller, in: call.arena)
    }
    do {
      let modified = try engine.modifyRecords(changes, caller: call.caller)
      if !changes.isDryRun { count(modified) }
      // What changed nothing may as well be done again, and takes no room.
      keepsAnswer = modified.changedAnything
      if keepsAnswer, modified.hasConflicts {
        // Records of others are not kept: who repeats the call might not read them then.
        keptAnswer = Self.response(to: modified.withoutConflicts, in: call.arena)
      }
      return Self.response(to: modified, in: call.arena)
    } catch let pending as MatchingPending {
      let memory = pending.memory
      throw CallPostponed(
        cause: .computing { slice in memory.work { slice.isOver } },
        progress: RecordsProgress(changes, memory)
      )
    }
  }

  /// Calls of so many bytes are decoded on another thread.
  private static let decodedApartBytesMin = 256 << 10

  /// A call that saves records, between the runs of its handler.
  ///
  /// Unchecked: it is on the loop or with a worker, never with both.
  private final class RecordsProgress: CallProgress, @unchecked Sendable {
    private let body: [UInt8]
    private var decoded: Result<RecordChanges, any Error>?

    /// A call to be decoded.
    init(_ body: [UInt8]) { self.body = body }

    /// A call that was decoded, and what is known of its values.
    init(_ changes: RecordChanges, _ memory: EvaluationMemory) {
      var changes = changes
      changes.memory = memory
      body = []
      decoded = .success(changes)
    }

    func decode(for caller: Caller) {
      let arena = Arena()
      decoded = Result {
        try body.withUnsafeBytes { try Core.changes($0, caller: caller, in: arena) }
      }
    }

    func changes(for caller: Caller) throws -> RecordChanges {
      if decoded == nil { decode(for: caller) }
      guard let decoded else { preconditionFailure("what was decoded is there") }
      return try decoded.get()
    }
  }

  private func count(_ modified: ModifiedRecords) {
    var (saved, deleted) = (0, modified.cascadedDeletions.count)
    for outcome in modified.outcomes {
      switch outcome {
      case .saved: saved += 1
      case .deleted: deleted += 1
      case .failed: break
      }
    }
    countRecords(saved: saved, deleted: deleted)
  }

  /// What fetched records may have together, with room for the results of failed items.
  private static func answerBytesMax(_ loop: LoopContext) -> Int {
    loop.configuration.frameBytesMax - (1 << 20)
  }

  private static func changes(
    _ body: UnsafeRawBufferPointer,
    caller: Caller,
    in arena: borrowing Arena
  ) throws
    -> RecordChanges
  {
    let request = try TidingsV1.ModifyRecordsRequest.unpack(body.bytes, in: arena)
      .assumingMemoryBound(to: Tidings__V1__ModifyRecordsRequest.self).pointee
    var saves: [Record] = []
    saves.reserveCapacity(request.n_records_to_save)
    for index in 0..<request.n_records_to_save {
      guard let message = request.records_to_save[index] else { continue }
      saves.append(try RecordReader.record(message, "records_to_save[\(index)]"))
    }
    var deletions: [RecordID] = []
    for index in 0..<request.n_record_ids_to_delete {
      deletions.append(
        try RecordReader.recordID(
          request.record_ids_to_delete[index],
          "record_ids_to_delete[\(index)]"
        )
      )
    }
    let number = Int32(bitPattern: request.save_policy.rawValue)
    guard
      let policy = number == 0
        ? .ifServerRecordUnchanged : RecordChanges.SavePolicy(rawValue: number)
    else { throw ItemError(.invalidArguments, "save_policy \(number) is not known") }
    var changes = RecordChanges(
      database: try databaseID(request.database_id, caller: caller),
      saves: saves,
      deletions: deletions,
      policy: policy,
      isAtomic: request._atomic_case.rawValue == 0 ? nil : request.atomic != 0
    )
    changes.isDryRun = request.dry_run != 0
    changes.clientChangeToken = RecordReader.bytes(request.client_change_token_data)
    return changes
  }

  private static func databaseID(
    _ message: UnsafeMutablePointer<Tidings__V1__DatabaseID>?,
    caller: Caller
  ) throws -> DatabaseID {
    let id: TidingsV1.DatabaseID? = try Unpacked.message(message)
    return try id.model(for: caller)
  }

  private static func response(
    to modified: ModifiedRecords,
    in arena: borrowing Arena
  )
    -> [UInt8]
  {
    var response = SplicedMessage(capacity: modified.outcomes.count * 160)
    for outcome in modified.outcomes {
      switch outcome {
      case .saved(let record):
        addResult(
          record.recordID,
          record: RecordWriter.encode(record, withFields: false, in: arena),
          to: &response
        )
      case .deleted(let recordID):
        response.add(
          1,
          TidingsV1.RecordResult(recordID: .init(recordID), outcome: .deleted(true)).encoded(
            in: arena
          )
        )
      case .failed(let recordID, let error, let conflict):
        addFailure(recordID, error, conflict, to: &response, in: arena)
      }
    }
    for deletion in modified.cascadedDeletions {
      let message = TidingsV1.CascadedDeletion(
        recordID: .init(deletion.recordID),
        recordType: deletion.recordType,
        targetID: .init(deletion.target)
      )
      response.add(2, message.encoded(in: arena))
    }
    return response.bytes
  }

  // MARK: FetchRecords

  private func fetchRecords(_ call: borrowing Call) throws -> [UInt8] {
    let request = try TidingsV1.FetchRecordsRequest.unpack(call.body.bytes, in: call.arena)
      .assumingMemoryBound(to: Tidings__V1__FetchRecordsRequest.self).pointee
    let count = request.n_record_ids
    try engine.limits.check(itemCount: count)
    let bytesMax = Self.answerBytesMax(call.loop)
    let database = try Self.databaseID(request.database_id, caller: call.caller)
    let desiredKeys: TidingsV1.DesiredKeys? = try Unpacked.message(request.desired_keys)
    let wanted = try desiredKeys.map { try Self.fields($0, engine.limits) }
    var response = SplicedMessage(capacity: count * 512)
    for index in 0..<count {
      let recordID = try RecordReader.recordID(request.record_ids[index], "record_ids[\(index)]")
      let owner =
        database.scope == .shared ? SplicedMessage.recordOwner(recordID.zoneID.ownerName) : []
      do {
        try engine.withRecord(recordID, in: database, caller: call.caller) { body in
          guard response.bytes.count + body.count <= bytesMax else {
            throw ItemError(
              .limitExceeded,
              "the answer is full: fetch this record in another call"
            )
          }
          if call.caller.user.isEmpty {
            let record = try GuestView.record(body, in: call.arena)
            let shown = try record.withUnsafeBytes { bytes in
              try wanted.map { try Self.record(bytes, keeping: $0, in: call.arena) }
            }
            Self.addResult(recordID, record: shown ?? record, to: &response)
          } else if let wanted {
            let record = try Self.record(body, keeping: wanted, in: call.arena)
            Self.addResult(recordID, record: record + owner, to: &response)
          } else if !owner.isEmpty {
            Self.addResult(recordID, record: Array(body) + owner, to: &response)
          } else {
            Self.addResult(recordID, record: body, to: &response)
          }
        }
      } catch let error as ItemError {
        Self.addFailure(recordID, error, to: &response, in: call.arena)
      }
    }
    return response.bytes
  }

  /// The fields that a call asks for.
  static func fields(
    _ desired: TidingsV1.DesiredKeys,
    _ limits: Limits
  ) throws -> Set<String> {
    guard desired.keys.count <= limits.fieldsPerTypeMax else {
      throw ItemError(
        .limitExceeded,
        "desired_keys has \(desired.keys.count) keys and may have \(limits.fieldsPerTypeMax): leave "
          + "it out to get all fields"
      )
    }
    return Set(desired.keys)
  }

  /// A stored record with some of its fields only.
  static func record(
    _ body: UnsafeRawBufferPointer,
    keeping wanted: Set<String>,
    in arena: borrowing Arena
  ) throws -> [UInt8] {
    var record = try storedMessage("record") {
      try TidingsV1.Record(decoding: body.bytes, in: arena)
    }
    record.fields = record.fields.filter { wanted.contains($0.key) }
    return record.encoded(in: arena)
  }

  // MARK: Results

  /// Adds a `RecordResult` with a record that is encoded already.
  private static func addResult(
    _ id: RecordID,
    record: some Collection<UInt8>,
    to response: inout SplicedMessage
  ) {
    let name = id.recordName.utf8
    let owner = id.zoneID.ownerName.utf8
    let zoneBytes =
      id.zoneID == .default
      ? 0
      : SplicedMessage.memberBytes(id.zoneID.zoneName.utf8.count)
        + (owner.isEmpty ? 0 : SplicedMessage.memberBytes(owner.count))
    let idBytes =
      SplicedMessage.memberBytes(name.count)
      + (zoneBytes == 0 ? 0 : SplicedMessage.memberBytes(zoneBytes))
    response.addHead(
      1,
      bytes: SplicedMessage.memberBytes(idBytes) + SplicedMessage.memberBytes(record.count)
    )
    response.addHead(1, bytes: idBytes)
    response.add(1, name)
    if zoneBytes > 0 {
      response.addHead(2, bytes: zoneBytes)
      response.add(1, id.zoneID.zoneName.utf8)
      if !owner.isEmpty { response.add(2, owner) }
    }
    response.add(2, record)
  }

  private static func addFailure(
    _ id: RecordID,
    _ error: ItemError,
    _ conflict: ConflictRecords? = nil,
    to response: inout SplicedMessage,
    in arena: borrowing Arena
  ) {
    var result = SplicedMessage()
    result.append(
      TidingsV1.RecordResult(recordID: .init(id), outcome: .error(.init(error))).encoded(in: arena)
    )
    if conflict?.server != nil || conflict?.ancestor != nil {
      let name = id.zoneID.ownerName
      let owner = name.isEmpty ? [] : SplicedMessage.recordOwner(name)
      if let server = conflict?.server { result.add(5, server + owner) }
      if let ancestor = conflict?.ancestor { result.add(6, ancestor + owner) }
    }
    response.add(1, result.bytes)
  }
}
