internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsZeroMQ

extension Core {
  /// Registers the queries of RecordService, which reader threads answer.
  func registerQueries(on loop: LoopContext) {
    typealias Methods = TidingsV1.RecordService.Methods
    registerReader(Methods.queryRecords, on: loop) { reader, caller, body in
      try Self.queryRecords(
        TidingsV1.QueryRecordsRequest(decoding: body.bytes, in: reader.arena),
        caller,
        reader
      )
    }
    registerReader(Methods.explainQuery, on: loop) { reader, caller, body in
      try Self.explainQuery(
        TidingsV1.ExplainQueryRequest(decoding: body.bytes, in: reader.arena),
        caller,
        reader
      )
    }
  }

  private static func queryRecords(
    _ request: TidingsV1.QueryRecordsRequest,
    _ caller: Caller,
    _ reader: ReaderPool.Reader
  ) throws -> [UInt8] {
    let wanted = try request.desiredKeys.map { try fields($0, reader.engine.limits) }
    var response = SplicedMessage(capacity: firstBytes)
    let answer = try page(request, caller, reader) { body in
      if let wanted {
        response.add(1, try record(body, keeping: wanted, in: reader.arena))
      } else {
        response.add(1, body)
      }
    }
    if !answer.cursor.isEmpty { response.add(2, answer.cursor) }
    return response.bytes
  }

  /// Room for an answer of common size.
  private static let firstBytes = 32 << 10

  private static func explainQuery(
    _ request: TidingsV1.ExplainQueryRequest,
    _ caller: Caller,
    _ reader: ReaderPool.Reader
  ) throws -> [UInt8] {
    guard let query = request.query else {
      throw ItemError(.invalidArguments, "query is missing: send the query to be explained")
    }
    let report = try page(query, caller, reader) { _ in }.report
    let response = TidingsV1.ExplainQueryResponse(
      steps: report.steps,
      predicate: report.predicate,
      indexField: report.indexField,
      sortedByIndex: report.isSortedByIndex,
      entriesVisited: UInt64(report.entriesVisited),
      recordsVisited: UInt64(report.recordsVisited),
      recordsMatched: UInt64(report.recordsMatched),
      advice: report.advice
    )
    return response.encoded(in: reader.arena)
  }

  private static func page(
    _ request: TidingsV1.QueryRecordsRequest,
    _ caller: Caller,
    _ reader: ReaderPool.Reader,
    _ deliver: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> QueryAnswer {
    let limit = Int(request.limit)
    guard request.cursor.isEmpty else {
      return try reader.engine.records(
        after: request.cursor,
        for: caller.user,
        limit: limit,
        at: reader.steadyClock.now,
        deliver
      )
    }
    return try reader.engine.records(
      matching: try request.model(for: caller),
      for: caller.user,
      limit: limit,
      at: reader.steadyClock.now,
      deliver
    )
  }
}

extension TidingsV1.QueryRecordsRequest {
  fileprivate func model(for caller: Caller) throws -> RecordQuery {
    let database = try databaseID.model(for: caller)
    return RecordQuery(
      database: database,
      recordType: recordType,
      predicate: try predicate?.model("predicate", isStored: false) ?? .true,
      sortKeys: sortDescriptors.map(\.model),
      zoneID: try zoneID.map { try Optional($0).named(in: database, for: caller) }
    )
  }
}

extension TidingsV1.SortDescriptor {
  /// The key; the fields of the schema language have their names in records.
  fileprivate var model: RecordQuery.SortKey {
    let name = SystemField(name: fieldName)?.name ?? fieldName
    var key = RecordQuery.SortKey(field: name, isDescending: descending)
    if let place = relativeLocation {
      key.relativeLocation = Location(latitude: place.latitude, longitude: place.longitude)
    }
    return key
  }
}
