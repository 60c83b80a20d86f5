internal import TestSupport
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

extension OracleSession {
  /// Reads pages of some zones, until all are at their ends or enough were read.
  mutating func readZones(
    _ reads: [OracleOperation.ZoneRead],
    _ limit: UInt32,
    _ pageCount: Int,
    _ client: Client,
    _ caller: Oracle.Caller,
    _ database: Oracle.Database
  ) async throws {
    var open = reads
    for read in reads {
      let key = locationKey(read, caller, database)
      var location = zoneLocations[key] ?? .init(reader: .init(read.zone, in: database))
      location.reader.filter(read.types)
      zoneLocations[key] = location
    }
    for _ in 0..<pageCount where !open.isEmpty && complaint.isEmpty {
      let zones = open.map { read in
        let location = zoneLocations[locationKey(read, caller, database)]
        return TidingsV1.ZoneChangesOptions(
          zoneID: .init(zoneName: read.zone),
          changeToken: location?.token ?? [],
          desiredKeys: read.keys.map { .init(keys: $0) },
          recordTypes: location?.reader.recordTypes.sorted() ?? [],
          limit: read.limit
        )
      }
      let answer = try await client.records.fetchRecordZoneChanges(
        .init(databaseID: database.id, zones: zones, limit: limit)
      )
      open = take(answer, open, limit, caller, database)
    }
    if pageCount >= 300, !open.isEmpty { complain("the feed does not end in \(pageCount) pages") }
  }

  /// - Returns: The zones of which more is coming.
  private mutating func take(
    _ answer: TidingsV1.FetchRecordZoneChangesResponse,
    _ reads: [OracleOperation.ZoneRead],
    _ limit: UInt32,
    _ caller: Oracle.Caller,
    _ database: Oracle.Database
  ) -> [OracleOperation.ZoneRead] {
    guard answer.zones.map({ oracle.zoneName($0.zoneID) }) == reads.map(\.zone) else {
      complain("zones \(answer.zones.map(\.zoneID)), expected \(reads.map(\.zone))")
      return []
    }
    var open: [OracleOperation.ZoneRead] = []
    var sum = 0
    for (read, page) in zip(reads, answer.zones) {
      let key = locationKey(read, caller, database)
      let count = page.changedRecords.count + page.deletedRecords.count
      sum += count
      if read.limit > 0, count > read.limit { complain("\(read.zone) has \(count) records") }
      let problem = zoneLocations[key]?.reader.read(page, keys: read.keys, by: caller, oracle)
      if let problem { complain("zone \(read.zone): \(problem)") }
      guard page.error == nil else {
        zoneLocations[key] = nil
        continue
      }
      zoneLocations[key]?.token = page.changeToken
      if page.moreComing { open.append(read) }
    }
    if limit > 0, sum > limit { complain("the page has \(sum) records") }
    return open
  }

  private func locationKey(
    _ read: OracleOperation.ZoneRead,
    _ caller: Oracle.Caller,
    _ database: Oracle.Database
  ) -> LocationKey {
    LocationKey(user: caller.user, database: database, zone: read.zone, slot: read.slot)
  }

  mutating func readDatabase(
    _ slot: Int,
    _ limit: UInt32,
    _ pageCount: Int,
    _ client: Client,
    _ caller: Oracle.Caller,
    _ database: Oracle.Database
  ) async throws {
    let key = LocationKey(user: caller.user, database: database, slot: slot)
    var location = databaseLocations[key] ?? .init(reader: .init(database))
    for count in 1...pageCount {
      let page = try await client.records.fetchDatabaseChanges(
        .init(databaseID: database.id, changeToken: location.token, limit: limit)
      )
      if limit > 0, page.changedZoneIDs.count + page.deletedZones.count > limit {
        complain("the page has more than \(limit) zones")
      }
      if let problem = location.reader.read(page, oracle) { complain(problem) }
      location.token = page.changeToken
      if !page.moreComing { break }
      if count == 100 { complain("the feed does not end in \(count) pages") }
    }
    databaseLocations[key] = location
  }

  /// What was remembered for one zone says nothing about another.
  mutating func readWithForeignToken(
    _ zone: String,
    _ client: Client,
    _ caller: Oracle.Caller,
    _ database: Oracle.Database
  ) async throws {
    let other = zoneLocations.first { key, location in
      key.user == caller.user && key.zone != zone && !location.token.isEmpty
    }
    guard let other else { return }
    do {
      let answer = try await client.records.fetchRecordZoneChanges(
        .init(
          databaseID: database.id,
          zones: [.init(zoneID: .init(zoneName: zone), changeToken: other.value.token)]
        )
      )
      let code = answer.zones.first?.error?.code
      let expected: [TidingsV1.ErrorCode] = [
        .invalidArguments, .changeTokenExpired, .zoneNotFound, .userDeletedZone,
      ]
      if !expected.contains(where: { $0 == code }) {
        complain("a token of zone \(other.key.zone) was taken: \(answer)")
      }
    } catch {
      if error.code != .invalidArgument { throw error }
    }
  }

  /// The whole of each zone, as a new client would read it.
  mutating func readFromStart(
    _ client: Client,
    _ caller: Oracle.Caller,
    _ database: Oracle.Database
  ) async throws {
    let names = oracle.fetchZones(in: database).compactMap(\.zoneID?.zoneName)
    for name in names {
      zoneLocations[.init(user: caller.user, database: database, zone: name, slot: 9)] = nil
    }
    try await readZones(
      names.map { .init(zone: $0, slot: 9, keys: nil, types: [], limit: 0) },
      7,
      300,
      client,
      caller,
      database
    )
    databaseLocations[.init(user: caller.user, database: database, slot: 9)] = nil
    try await readDatabase(9, 2, 100, client, caller, database)
  }
}
