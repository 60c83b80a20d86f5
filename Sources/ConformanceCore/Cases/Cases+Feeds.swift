internal import TidingsClient
internal import TidingsProto
internal import TidingsProtobuf
internal import TidingsRPC

extension ConformanceCase {
  /// Feeds of changes, on a real server.
  static func feeds() -> [Self] {
    [
      Self("zone_changes_paging") { stage in
        let (_, other, _) = try await stage.twoDevices()
        try await stage.makeZone("work")
        for number in 0..<25 { try await other.save(TidingsV1.Record("r\(number)", zone: "work")) }
        var names: [String] = []
        var token: [UInt8] = []
        var more = true
        while more, names.count < 50 {
          let changes = try await zoneChanges(stage, after: token, limit: 10)
          let count = changes.changedRecords.count
          try expect(count <= 10, "expected at most 10 records, came \(count)")
          names += changes.changedRecords.map { $0.recordID?.recordName ?? "" }
          (token, more) = (changes.changeToken, changes.moreComing)
        }
        try expectEqual("the records", (0..<25).map { "r\($0)" }, names)
        // Nothing new, then one.
        let none = try await zoneChanges(stage, after: token, limit: 10)
        try expectEqual("the records after the end", 0, none.changedRecords.count)
        try await other.save(TidingsV1.Record("late", zone: "work"))
        let late = try await zoneChanges(stage, after: none.changeToken, limit: 10)
        try expectEqual(
          "the new one",
          ["late"],
          late.changedRecords.map { $0.recordID?.recordName }
        )
      },
      Self("zone_changes_deletion") { stage in
        let (_, other, _) = try await stage.twoDevices()
        try await stage.makeZone("work")
        try await other.save(TidingsV1.Record("gone", zone: "work"))
        let before = try await zoneChanges(stage, after: [], limit: 10)
        let response: TidingsV1.ModifyRecordsResponse = try await stage.call(
          RecordMethods.modifyRecords,
          TidingsV1.ModifyRecordsRequest(
            databaseID: .privateOne,
            recordIDsToDelete: [.init("gone", zone: "work")]
          )
        )
        try expectEqual("the outcome of deleting", .deleted(true), response.results.first?.outcome)
        let after = try await zoneChanges(stage, after: before.changeToken, limit: 10)
        try expectEqual(
          "the deleted records",
          ["gone Item"],
          after.deletedRecords.map { "\($0.recordID?.recordName ?? "") \($0.recordType)" }
        )
      },
      Self("cancel_waiting_call", needs: .cancel) { stage in
        // A place of the user is free again, the only one, long before the wait would end.
        let (_, other, _) = try await stage.twoDevices()
        for _ in 0..<2 {
          let result = try await stage.invoke(
            .init(
              method: RecordMethods.fetchDatabaseChanges.fullName,
              request: changesOfDatabase(wait: 60).encoded(),
              cancelAfterMs: 200,
              isSafe: true
            )
          )
          try result.expect(.cancelled)
        }
        let options = CallOptions(timeout: .seconds(30))
        let wait = changesOfDatabase(wait: 1)
        _ = try await other.client.records.fetchDatabaseChanges(wait, options: options)
      },
      Self("token_foreign_incarnation") { stage in
        // A token of another server's data.
        let elsewhere = try await stage.secureRecords()
        let root = Other(client: try await elsewhere.client(as: "root"))
        _ = try await root.client.zones.modifyRecordZones(
          .init(databaseID: .privateOne, zonesToSave: [.init(zoneID: .init(zoneName: "work"))])
        )
        try await root.save(TidingsV1.Record("there", zone: "work"))
        let there = try await root.client.records.fetchRecordZoneChanges(
          request(after: [], limit: 10)
        )
        _ = try await stage.twoDevices()
        try await stage.makeZone("work")
        let token = there.zones.first?.changeToken ?? []
        let result = try await stage.invoke(
          .init(
            method: RecordMethods.fetchRecordZoneChanges.fullName,
            request: request(after: token, limit: 10).encoded(),
            isSafe: true
          )
        )
        try expectExpired(result)
      },
      Self("change_token_expired") { stage in
        // What made the token is gone: the zone was deleted, and another one made in its place.
        let (_, other, _) = try await stage.twoDevices()
        try await stage.makeZone("work")
        try await other.save(TidingsV1.Record("r", zone: "work"))
        let before = try await zoneChanges(stage, after: [], limit: 10)
        _ = try await other.client.zones.modifyRecordZones(
          .init(databaseID: .privateOne, zoneIDsToDelete: [.init(zoneName: "work")])
        )
        try await stage.makeZone("work")
        let result = try await stage.invoke(
          .init(
            method: RecordMethods.fetchRecordZoneChanges.fullName,
            request: request(after: before.changeToken, limit: 10).encoded(),
            isSafe: true
          )
        )
        try expectExpired(result)
      },
    ]
  }

  private static func changesOfDatabase(
    wait seconds: Int64
  ) -> TidingsV1.FetchDatabaseChangesRequest {
    .init(databaseID: .privateOne, maxWait: .init(seconds: seconds))
  }

  /// CHANGE_TOKEN_EXPIRED comes as the error of the zone.
  private static func expectExpired(_ result: TidingsConformanceV1.CallResult) throws {
    let response = try TidingsV1.FetchRecordZoneChangesResponse(decoding: try result.response())
    try expectEqual(
      "the error of the zone",
      TidingsV1.ErrorCode.changeTokenExpired,
      response.zones.first?.error?.code
    )
  }

  private static func request(
    after token: [UInt8],
    limit: UInt32
  ) -> TidingsV1.FetchRecordZoneChangesRequest {
    .init(
      databaseID: .privateOne,
      zones: [.init(zoneID: .init(zoneName: "work"), changeToken: token, limit: limit)]
    )
  }

  private static func zoneChanges(
    _ stage: Stage,
    after token: [UInt8],
    limit: UInt32
  ) async throws -> TidingsV1.ZoneChanges {
    let response: TidingsV1.FetchRecordZoneChangesResponse = try await stage.call(
      RecordMethods.fetchRecordZoneChanges,
      request(after: token, limit: limit)
    )
    guard let zone = response.zones.first, zone.error == nil else {
      throw CaseFailure("expected changes of the zone, came \(brief(response))")
    }
    return zone
  }
}
