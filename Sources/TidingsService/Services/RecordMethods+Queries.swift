internal import TidingsCodec
internal import TidingsEngine
internal import TidingsModel
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsWire
internal import TidingsZeroMQ

private typealias Field = TidingsV1.QueryRecordsResponse.FieldNumber

extension RecordMethods {
  /// Registers the queries of RecordService, which the loop answers if they are quick, and reader threads
  /// in slices.
  func registerQueries(on loop: LoopContext) {
    typealias Methods = TidingsV1.RecordService.Methods
    let hidesTypes = !showsTypes
    reads.registerSliced(Methods.queryRecords, on: loop, beginsOnLoop: true) { caller, body in
      QueryAnswering(QueryWork(caller, hidesTypes: hidesTypes), body)
    }
    reads.registerSliced(Methods.explainQuery, on: loop) { caller, body in
      ExplanationAnswering(QueryWork(caller, hidesTypes: hidesTypes), body)
    }
  }
}

/// A page of a query as it is worked on.
///
/// Unchecked: one thread works on it at a time, and the pool's lock lies between two of them.
private final class QueryWork: @unchecked Sendable {
  let caller: Caller
  private let hidesTypes: Bool
  private var page: QueryPage?

  init(_ caller: Caller, hidesTypes: Bool) { (self.caller, self.hidesTypes) = (caller, hidesTypes) }

  func advance(
    _ request: (StoreReader) throws -> TidingsV1.QueryRecordsRequest,
    _ reader: StoreReader,
    _ slice: ReadSlice,
    _ deliver: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws -> QueryAnswer? {
    var page = try self.page ?? request(reader).page(for: caller, hidesTypes: hidesTypes)
    self.page = nil
    let answer = try reader.engine.advance(
      &page,
      for: caller.user,
      at: reader.steadyClock.now,
      until: { reader.isOver(slice) },
      effort: slice.effort,
      deliver
    )
    self.page = page
    return answer
  }
}

/// Answers QueryRecords; used as `QueryWork` is.
private final class QueryAnswering: SlicedAnswer, @unchecked Sendable {
  /// Room for an answer of common size.
  private static let firstBytes = 32 << 10

  private let work: QueryWork
  private let body: KeptBody
  private var report: QueryReport?
  private var wanted: Set<String>??
  private var response = WireWriter(capacity: 0)

  init(_ work: QueryWork, _ body: KeptBody) {
    self.work = work
    self.body = body
  }

  func advance(_ reader: StoreReader, _ slice: ReadSlice) throws -> [UInt8]? {
    if wanted == nil {
      let request = try request(reader)
      wanted = .some(
        try request.desiredKeys.map { try RecordMethods.fields($0, reader.engine.limits) }
      )
      response = WireWriter(capacity: Self.firstBytes)
    }
    let answer = try work.advance(request, reader, slice) { body in
      if case .some(.some(let wanted)) = self.wanted {
        self.response.add(
          Field.records,
          try RecordMethods.record(body, keeping: wanted, in: reader.arena)
        )
      } else {
        self.response.add(Field.records, body)
      }
    }
    guard let answer else { return nil }
    report = answer.report
    if !answer.cursor.isEmpty { response.add(Field.cursor, answer.cursor) }
    for warning in answer.report.warnings { response.add(Field.warnings, Array(warning.utf8)) }
    return response.bytes
  }

  func summarize(_ call: ObservedCall) {
    guard let report else { return }
    call.touched.recordsRead += report.recordsMatched
    call.plan = report.outline
  }

  private func request(
    _ reader: StoreReader
  ) throws -> TidingsV1.QueryRecordsRequest {
    try body.withUnsafeBytes {
      try TidingsV1.QueryRecordsRequest(decoding: $0.bytes, in: reader.arena)
    }
  }
}

/// Answers ExplainQuery; used as `QueryWork` is.
private final class ExplanationAnswering: SlicedAnswer, @unchecked Sendable {
  private let work: QueryWork
  private let body: KeptBody

  init(_ work: QueryWork, _ body: KeptBody) {
    self.work = work
    self.body = body
  }

  func advance(_ reader: StoreReader, _ slice: ReadSlice) throws -> [UInt8]? {
    let answer = try work.advance(query, reader, slice) { _ in }
    guard let report = answer?.report else { return nil }
    let response = TidingsV1.ExplainQueryResponse(
      steps: report.steps,
      predicate: report.predicate,
      indexField: report.indexField,
      sortedByIndex: report.isSortedByIndex,
      entriesVisited: UInt64(report.entriesVisited),
      recordsVisited: UInt64(report.recordsVisited),
      recordsMatched: UInt64(report.recordsMatched),
      advice: report.advice,
      warnings: report.warnings
    )
    return response.encoded(in: reader.arena)
  }

  private func query(_ reader: StoreReader) throws -> TidingsV1.QueryRecordsRequest {
    let request = try body.withUnsafeBytes {
      try TidingsV1.ExplainQueryRequest(decoding: $0.bytes, in: reader.arena)
    }
    guard let query = request.query else {
      throw ItemError(.invalidArguments, "query is missing: send the query to be explained")
    }
    return query
  }
}

extension TidingsV1.QueryRecordsRequest {
  /// The page that is asked for.
  fileprivate func page(for caller: Caller, hidesTypes: Bool) throws -> QueryPage {
    cursor.isEmpty
      ? QueryPage(of: try model(for: caller), limit: Int(limit), hidesTypes: hidesTypes)
      : QueryPage(after: cursor, limit: Int(limit))
  }

  private func model(for caller: Caller) throws -> RecordQuery {
    let database = try databaseID.model(for: caller)
    let zone = try zoneID.map { try Optional($0).named(in: database, for: caller) }
    return RecordQuery(
      database: database,
      recordType: recordType,
      predicate: try predicate?.model(
        "predicate",
        isStored: false,
        zone: zone,
        user: caller.user
      ) ?? .true,
      sortKeys: sortDescriptors.map(\.model),
      zoneID: zone
    )
  }
}

extension TidingsV1.SortDescriptor {
  /// The key; the fields of the schema language have their names in records.
  fileprivate var model: RecordQuery.SortKey {
    let name = SystemField(name: fieldName)?.name ?? fieldName
    var key = RecordQuery.SortKey(field: name, isDescending: descending)
    if let center = relativeLocation {
      key.relativeLocation = Location(latitude: center.latitude, longitude: center.longitude)
    }
    return key
  }
}

extension QueryReport {
  /// How the records were found, without values: the steps name those of the predicate.
  fileprivate var outline: String {
    let access = indexField.isEmpty ? "scan" : "index \(indexField)"
    let order = isSortedByIndex ? ", sorted by the index" : ""
    return "\(access)\(order), \(entriesVisited) entries and \(recordsVisited) records visited, "
      + "\(recordsMatched) matched"
  }
}
