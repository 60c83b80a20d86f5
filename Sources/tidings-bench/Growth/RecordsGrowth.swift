import BenchCore
import TidingsProto
import TidingsRPC

/// What operations cost in a zone of so many records.
enum RecordsGrowth {
  private static let zone = TidingsV1.ZoneID(zoneName: "growth")
  private static let hits = 50
  private static let perCall = 400
  private static let pageRecords: UInt32 = 200

  static func run(_ bench: Bench, sizes: [Int]) throws -> [GrowthCurve] {
    var curves = GrowthCurves(.records)
    var probe = try GrowthProbe(bench)
    defer { probe.server.stop() }
    try makeZone(probe.client)
    var filled = 0
    for size in sizes {
      bench.say("growth: \(size) records")
      try fill(probe.client, from: filled, to: size)
      if filled == 0 { try probe.client.declareIndexes(of: ["city"]) }
      let (start, next) = try probe.start(size)
      probe = next
      let calls = min(max(size / 2, 200), 2_000)
      curves.add("start", start)
      curves.add(
        "fetch",
        try probe.load(
          size,
          CallSequence(Calls.fetch(in: zone), .existing(size), check: .oneRecord),
          count: calls
        )
      )
      curves.add("query of \(hits) by an index", try query(probe, from: filled, to: size))
      curves.add("feed page of \(pageRecords)", try feed(probe, size))
      let update = Calls.record(
        CallTemplate.namePlaceholder,
        serial: CallTemplate.serialPlaceholder,
        zone: zone
      )
      curves.add(
        "save of an existing record",
        try probe.load(
          size,
          CallSequence(Calls.save([update], updates: true), .existing(size), check: .oneRecord),
          count: calls
        )
      )
      // Last, since they stay.
      var new = update
      new.recordType = "Visitor"
      curves.add(
        "save of a new record",
        try probe.load(
          size,
          CallSequence(Calls.save([new], updates: false), check: .oneRecord),
          first: 1_000_000_000 + 10 * size,
          count: calls
        )
      )
      filled = size
    }
    return curves.curves
  }

  private static func makeZone(_ client: RawClient) throws {
    _ = try client.call(
      TidingsV1.ZoneService.Methods.modifyRecordZones,
      TidingsV1.ModifyRecordZonesRequest(
        databaseID: Calls.database,
        zonesToSave: [.init(zoneID: zone)]
      ),
      TidingsV1.ModifyRecordZonesResponse.self
    )
  }

  /// Saves records with these numbers; each city has 50 of them, far apart.
  private static func fill(_ client: RawClient, from first: Int, to end: Int) throws {
    let cities = max((end - first) / hits, 1)
    for start in stride(from: first, to: end, by: perCall) {
      try Interruption.check()
      let records = (start..<min(start + perCall, end)).map { number in
        let digits = Calls.digits(number)
        var record = Calls.record(digits, serial: digits, zone: zone)
        record.fields["city"] = .init(
          value: .stringValue(city(first, (number - first) % cities))
        )
        return record
      }
      let response = try client.call(
        TidingsV1.RecordService.Methods.modifyRecords,
        Calls.saving(records, updates: false),
        TidingsV1.ModifyRecordsResponse.self
      )
      try GrowthProbe.check(response.results.map(\.error))
    }
  }

  private static func city(_ first: Int, _ number: Int) -> String {
    "city-\(first)-\(number)"
  }

  private static func query(
    _ probe: GrowthProbe,
    from first: Int,
    to end: Int
  ) throws -> GrowthPoint {
    let cities = max((end - first) / hits, 1)
    var number = 0
    return try probe.each(end) {
      number += 1
      let request = TidingsV1.QueryRecordsRequest(
        databaseID: Calls.database,
        recordType: Calls.recordType,
        predicate: .init(
          text: "city = %@",
          arguments: [.init(value: .stringValue(city(first, number &* 7_919 % cities)))]
        ),
        limit: UInt32(hits)
      )
      try probe.client.answer(TidingsV1.RecordService.Methods.queryRecords, request) { body in
        guard body.count > min(hits, end) * 200 else {
          throw BenchError("a query found too little")
        }
      }
    }
  }

  /// Pages from the beginning to the end, and again.
  private static func feed(_ probe: GrowthProbe, _ size: Int) throws -> GrowthPoint {
    var options = TidingsV1.ZoneChangesOptions(zoneID: zone, limit: pageRecords)
    return try probe.each(size, count: min(max(size / Int(pageRecords), 1), 100)) {
      let request = TidingsV1.FetchRecordZoneChangesRequest(
        databaseID: Calls.database,
        zones: [options]
      )
      let page = try probe.client.answer(
        TidingsV1.RecordService.Methods.fetchRecordZoneChanges,
        request
      ) { EncodedPage(Array($0)) }
      guard let page else { throw BenchError("a page of the feed failed") }
      options.changeToken = page.moreComing ? page.changeToken : []
    }
  }
}

extension TidingsV1.RecordResult {
  fileprivate var error: TidingsV1.ItemError? {
    guard case .error(let error)? = outcome else { return nil }
    return error
  }
}
