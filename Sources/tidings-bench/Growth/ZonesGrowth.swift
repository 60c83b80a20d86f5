import BenchCore
import TidingsProto
import TidingsRPC

/// What operations cost in a database of so many zones.
enum ZonesGrowth {
  private static let perCall = 400
  private static let pageZones: UInt32 = 200

  static func run(_ bench: Bench, sizes: [Int]) throws -> [GrowthCurve] {
    var curves = GrowthCurves(.zones)
    var probe = try GrowthProbe(bench)
    defer { probe.server.stop() }
    var filled = 0
    for size in sizes {
      bench.say("growth: \(size) zones")
      for start in stride(from: filled, to: size, by: perCall) {
        let numbers = start..<min(start + perCall, size)
        try make(probe.client, numbers.map { name(Calls.digits($0)) })
      }
      filled = size
      let (start, next) = try probe.start(size)
      probe = next
      curves.add("start", start)
      let zone = name(CallTemplate.namePlaceholder)
      let record = Calls.record(
        CallTemplate.namePlaceholder,
        serial: CallTemplate.serialPlaceholder,
        zone: zone
      )
      let saves = CallSequence(
        Calls.save([record], updates: true),
        .existing(size),
        check: .oneRecord
      )
      curves.add("save into one of them", try probe.load(size, saves, count: max(2_000, size)))
      curves.add(
        "fetch from one of them",
        try probe.load(
          size,
          CallSequence(Calls.fetch(in: zone), .existing(size), check: .oneRecord)
        )
      )
      if size >= pageZones {
        curves.add("page of \(pageZones) changed zones", try changes(probe, size))
      }
      curves.add(
        "list of all zones",
        handlesAll: true,
        try probe.each(size, count: 20) {
          let request = TidingsV1.FetchRecordZonesRequest(databaseID: Calls.database)
          try probe.client.answer(TidingsV1.ZoneService.Methods.fetchRecordZones, request) { body in
            guard body.count > size * 20 else { throw BenchError("a list of zones is too short") }
          }
        }
      )
    }
    return curves.curves
  }

  private static func name(_ digits: String) -> TidingsV1.ZoneID {
    .init(zoneName: "zone-" + digits)
  }

  private static func make(_ client: RawClient, _ zones: [TidingsV1.ZoneID]) throws {
    let response = try client.call(
      TidingsV1.ZoneService.Methods.modifyRecordZones,
      TidingsV1.ModifyRecordZonesRequest(
        databaseID: Calls.database,
        zonesToSave: zones.map { .init(zoneID: $0) }
      ),
      TidingsV1.ModifyRecordZonesResponse.self
    )
    for case .error(let error)? in response.results.map(\.outcome) {
      throw BenchError("making zones: \(error.message)")
    }
  }

  private static func changes(_ probe: GrowthProbe, _ size: Int) throws -> GrowthPoint {
    var token: [UInt8] = []
    return try probe.each(size) {
      let page = try probe.client.call(
        TidingsV1.RecordService.Methods.fetchDatabaseChanges,
        TidingsV1.FetchDatabaseChangesRequest(
          databaseID: Calls.database,
          changeToken: token,
          limit: pageZones
        ),
        TidingsV1.FetchDatabaseChangesResponse.self
      )
      token = page.moreComing ? page.changeToken : []
    }
  }
}
