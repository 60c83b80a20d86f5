internal import TestSupport
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

extension OracleSession {
  mutating func open(
    _ query: OracleQuery,
    _ slot: Int,
    _ keys: [String]?,
    _ limit: UInt32,
    _ pageCount: Int,
    _ client: Client,
    _ caller: Oracle.Caller
  ) async throws {
    openQueries[slot] = OpenQuery(reader: .init(query, oracle), cursor: [], caller: caller)
    do {
      try await turnPages(slot, keys, limit, pageCount)
    } catch let error as RPCError {
      openQueries[slot] = nil
      let isExpected =
        oracle.isMissing(query) && error.code == .notFound
        || !oracle.canSort(query) && error.code == .invalidArgument
      if !isExpected { throw error }
    }
  }

  mutating func turnPages(
    _ slot: Int,
    _ keys: [String]?,
    _ limit: UInt32,
    _ pageCount: Int
  ) async throws {
    for count in 1...pageCount {
      guard var open = openQueries[slot] else { return }
      var request = open.reader.query.message
      if !open.cursor.isEmpty {
        request = .init(databaseID: open.reader.query.database.id, cursor: open.cursor)
      }
      request.desiredKeys = keys.map { .init(keys: $0) }
      request.limit = limit
      let page: TidingsV1.QueryRecordsResponse
      do {
        page = try await client(of: open.caller).records.queryRecords(request)
      } catch let error as RPCError {
        let isExpected =
          open.mayExpire && error.code == .outOfRange
          || oracle.isMissing(open.reader.query) && error.code == .notFound
        guard isExpected else { throw error }
        openQueries[slot] = nil
        return
      }
      if let problem = open.reader.read(page, keys: keys, limit: limit, oracle) {
        return complain("\(open.reader.query.predicate.brief): \(problem)")
      }
      open.cursor = page.cursor
      openQueries[slot] = page.cursor.isEmpty ? nil : open
      if count == 200 { complain("the query does not end in \(count) pages") }
    }
  }

  /// All records, by queries.
  mutating func queryAll(
    _ client: Client,
    _ caller: Oracle.Caller,
    _ database: Oracle.Database
  ) async throws {
    for type in OracleFields.types {
      try await open(.init(type, in: database, .all), 9, nil, 11, 200, client, caller)
    }
  }
}
