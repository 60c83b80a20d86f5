internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC
internal import TidingsWire
internal import TidingsZeroMQ

extension RecordMethods {
  /// Registers FetchRecords: the loop answers it, and a reader thread where that takes long or the loop may not
  /// read.
  func registerFetch(_ calls: GroupedCalls, on loop: LoopContext) {
    let bytesMax = min(Self.answerBytesMax, loop.configuration.frameBytesMax - (1 << 20))
    calls.register(
      TidingsV1.RecordService.Methods.fetchRecords,
      .read,
      on: loop,
      reading: { FetchAnswering($0, $1, bytesMax: bytesMax) },
      expecting: { [self] in expectFetch($0, $1, looksUp: $2) },
      handler: { [self] in try fetchRecords($0, bytesMax: bytesMax) }
    )
  }

  /// Lets the engine know which records a call is going to read.
  private func expectFetch(
    _ caller: Caller,
    _ body: UnsafeRawBufferPointer,
    looksUp: Bool
  ) -> Bool {
    let arena = Arena()
    guard let request = try? RecordFetch(body, caller, in: arena, engine.limits) else {
      return true
    }
    let isAll = request.ids.count <= Self.expectedMax
    let ids = Array(request.ids.prefix(Self.expectedMax))
    return engine.expect(ids, in: request.database, by: caller, looksUp: looksUp) && isAll
  }

  /// Records of one call that are read ahead: they are held in memory together.
  private static let expectedMax = 16

  /// What fetched records may have together.
  static let answerBytesMax = 8 << 20

  /// The loop fetches for so long.
  private static let fetchTimeMax = Duration.milliseconds(1)
  /// Small records are fetched without a look at the clock.
  private static let unlookedBytes = 32 << 10
  /// So many at most.
  private static let unlookedCount = 4

  private func fetchRecords(_ call: borrowing StoreCall, bytesMax: Int) throws -> Outcome {
    let request = try RecordFetch(call.body, call.caller, in: call.arena, engine.limits)
    var response = WireWriter(capacity: request.count * 512)
    var looked = (bytes: 0, end: nil as ContinuousClock.Instant?)
    for index in 0..<request.count {
      try request.add(index, to: &response, bytesMax: bytesMax, in: call.arena) { id, body in
        try engine.withRecord(id, in: request.database, caller: call.caller, body)
      }
      // What is refused was read, too.
      guard
        response.bytes.count - looked.bytes > Self.unlookedBytes || request.isNarrowed
          || index % Self.unlookedCount == Self.unlookedCount - 1
      else { continue }
      looked.bytes = response.bytes.count
      let now = ContinuousClock.now
      guard let end = looked.end else {
        looked.end = now.advanced(by: Self.fetchTimeMax)
        continue
      }
      if now > end, index + 1 < request.count {
        return .postponed(Postponement(cause: .reading))
      }
    }
    call.observed?.touched.recordsRead = request.count
    return .answered(CallAnswer(response.bytes))
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
    // Many large ones do not fit into the call's memory together.
    guard body.count <= largeRecordBytesMin else {
      return try keeping(wanted, of: body, in: Arena())
    }
    return try keeping(wanted, of: body, in: arena)
  }

  /// Records from here on are decoded in memory of their own.
  static let largeRecordBytesMin = 4 << 10

  private static func keeping(
    _ wanted: Set<String>,
    of body: UnsafeRawBufferPointer,
    in arena: borrowing Arena
  ) throws -> [UInt8] {
    var record = try storedMessage("record") {
      try TidingsV1.Record(decoding: body.bytes, in: arena)
    }
    record.fields = record.fields.filter { wanted.contains($0.key) }
    return record.encoded(in: arena)
  }
}

/// A call to FetchRecords.
private struct RecordFetch {
  let database: DatabaseID
  let ids: [RecordID]
  private let caller: Caller
  private let wanted: Set<String>?

  init(
    _ body: UnsafeRawBufferPointer,
    _ caller: Caller,
    in arena: borrowing Arena,
    _ limits: Limits
  ) throws {
    let message = try FetchRecordsMessage(body, in: arena) { try limits.check(itemCount: $0) }
    self.caller = caller
    ids = message.recordIDs
    database = try message.databaseID.model(for: caller)
    wanted = try message.desiredKeys.map { try RecordMethods.fields($0, limits) }
  }

  /// How many records are asked for.
  var count: Int { ids.count }

  /// More is read than is answered.
  var isNarrowed: Bool { wanted != nil && count > 1 }

  /// Adds the result of one record to a response.
  ///
  /// - Parameters:
  ///   - index: Which record of the call.
  ///   - response: Where to.
  ///   - bytesMax: Bytes that the response may have.
  ///   - arena: Memory for what is decoded.
  ///   - withRecord: Lends a stored record.
  /// - Throws: What fails the call.
  func add(
    _ index: Int,
    to response: inout WireWriter,
    bytesMax: Int,
    in arena: borrowing Arena,
    _ withRecord: (RecordID, (UnsafeRawBufferPointer) throws -> Void) throws -> Void
  ) throws {
    let recordID = ids[index]
    let owner =
      database.scope == .shared ? OwnerName.bytes(recordID.zoneID.ownerName) : []
    do {
      try withRecord(recordID) { body in
        guard response.bytes.count + body.count <= bytesMax else {
          throw ItemError(.limitExceeded, "the answer is full: fetch this record in another call")
        }
        if caller.user.isEmpty {
          let record = try GuestView.record(body, in: arena)
          let shown = try record.withUnsafeBytes { bytes in
            try wanted.map { try RecordMethods.record(bytes, keeping: $0, in: arena) }
          }
          RecordMethods.addResult(recordID, record: shown ?? record, to: &response)
        } else if let wanted {
          let record = try RecordMethods.record(body, keeping: wanted, in: arena)
          RecordMethods.addResult(recordID, record: record + owner, to: &response)
        } else if !owner.isEmpty {
          RecordMethods.addResult(recordID, record: Array(body) + owner, to: &response)
        } else {
          RecordMethods.addResult(recordID, record: body, to: &response)
        }
      }
    } catch let error as ItemError {
      RecordMethods.addFailure(recordID, error, to: &response, in: arena)
    }
  }
}

/// Answers FetchRecords on reader threads, at one go: parts of many large answers would be held meanwhile.
private final class FetchAnswering: SlicedAnswer {
  private let caller: Caller
  private let body: KeptBody
  private let bytesMax: Int

  init(_ caller: Caller, _ body: KeptBody, bytesMax: Int) {
    (self.caller, self.body, self.bytesMax) = (caller, body, bytesMax)
  }

  func advance(_ reader: StoreReader, _ slice: ReadSlice) throws -> [UInt8]? {
    try body.withUnsafeBytes { body in
      let request = try RecordFetch(body, caller, in: reader.arena, reader.engine.limits)
      var response = WireWriter(capacity: request.count * 512)
      for index in 0..<request.count {
        try request.add(index, to: &response, bytesMax: bytesMax, in: reader.arena) { id, body in
          try reader.engine.withRecord(id, in: request.database, caller: caller, body)
        }
      }
      return response.bytes
    }
  }
}
