internal import TidingsProto
internal import TidingsProtobuf

extension ConformanceCase {
  /// Records, on a real server.
  static func records() -> [Self] {
    [
      Self("save_and_fetch") { stage in
        _ = try await stage.twoDevices()
        var record = TidingsV1.Record("all")
        record.fields = try everyField()
        let saved = try await stage.save(record)[0].saved()
        try expect(!saved.changeTag.isEmpty, "expected a change tag, came none")
        let fetched = try await stage.fetch(.init("all")).saved()
        for (name, value) in record.fields {
          try expectEqual("the field '\(name)'", value, fetched.fields[name])
        }
        try expectEqual("the change tag", saved.changeTag, fetched.changeTag)
      },
      Self("unknown_item") { stage in
        _ = try await stage.twoDevices()
        let result = try await stage.fetch(.init("missing"))
        try expectEqual("the error of the item", .unknownItem, result.error?.code)
      },
      Self("save_conflict") { stage in
        let (_, other, _) = try await stage.twoDevices()
        let first = try await stage.save(TidingsV1.Record("a", value: 1))[0].saved()
        try await other.save(TidingsV1.Record("a", value: 2))
        let late = TidingsV1.Record("a", tag: first.changeTag, value: 3)
        let result = try await stage.save(late)[0]
        try expectEqual("the error of the item", .serverRecordChanged, result.error?.code)
        try expectEqual(
          "the server's record",
          ["value": TidingsV1.FieldValue(value: .int64Value(2))],
          result.serverRecord?.fields
        )
        try expect(
          result.serverRecord?.changeTag != first.changeTag,
          "the change tag is the old one"
        )
        // Merged, and saved again.
        let merged = TidingsV1.Record("a", tag: result.serverRecord?.changeTag ?? "", value: 3)
        _ = try await stage.save(merged)[0].saved()
      },
      Self("atomic_batch_rollback") { stage in
        _ = try await stage.twoDevices()
        try await stage.makeZone("work")
        let results = try await stage.save(
          TidingsV1.Record("good", zone: "work"),
          TidingsV1.Record("bad", zone: "work", tag: "7777"),
          atomic: true
        )
        try expectEqual("the error of the good one", .batchRequestFailed, results[0].error?.code)
        try expect(results[1].error != nil, "expected an error for the bad one, came none")
        let good = try await stage.fetch(.init("good", zone: "work"))
        try expectEqual("the good one, fetched", .unknownItem, good.error?.code)
      },
      Self("partial_failure") { stage in
        _ = try await stage.twoDevices()
        let results = try await stage.save(
          TidingsV1.Record("good"),
          TidingsV1.Record("bad", tag: "7777"),
          atomic: false
        )
        _ = try results[0].saved()
        try expect(results[1].error != nil, "expected an error for the bad one, came none")
        _ = try await stage.fetch(.init("good")).saved()
      },
      Self("query_paging") { stage in
        let (_, other, _) = try await stage.twoDevices()
        for number in 0..<10 {
          try await other.save(TidingsV1.Record("q\(number)", value: Int64(number)))
        }
        var request = TidingsV1.QueryRecordsRequest(
          databaseID: .privateOne,
          recordType: "Item",
          predicate: .init(text: "value >= %@", arguments: [.init(value: .int64Value(3))]),
          sortDescriptors: [.init(fieldName: "value", descending: true)],
          limit: 3
        )
        var names: [String] = []
        repeat {
          let page: TidingsV1.QueryRecordsResponse = try await stage.call(
            RecordMethods.queryRecords,
            request
          )
          try expect(
            page.records.count <= 3,
            "expected at most 3 records, came \(page.records.count)"
          )
          names += page.records.map { $0.recordID?.recordName ?? "" }
          request.cursor = page.cursor
        } while !request.cursor.isEmpty && names.count < 20
        try expectEqual("the records", (3..<10).reversed().map { "q\($0)" }, names)
      },
      Self("duplicate_request_id") { stage in
        _ = try await stage.twoDevices()
        let request = TidingsV1.ModifyRecordsRequest(
          databaseID: .privateOne,
          recordsToSave: [TidingsV1.Record("once")],
          savePolicy: .ifServerRecordUnchanged
        )
        var tags: [String] = []
        for _ in 0..<2 {
          let response: TidingsV1.ModifyRecordsResponse = try await stage.call(
            RecordMethods.modifyRecords,
            request,
            idempotencyKey: "the-same"
          )
          tags.append(try response.results[0].saved().changeTag)
        }
        try expectEqual("the change tags of both answers", tags[0], tags[1])
      },
    ]
  }

  /// A field of every type that a server takes without further ado.
  private static func everyField() throws -> [String: TidingsV1.FieldValue] {
    let bytes = try VectorMaker().binary("tidings.v1.Record", VectorArea.everyType)
    let fields = try TidingsV1.Record(decoding: bytes).fields
    // Files and keys are needed for these, and other records.
    let others: Set = ["asset", "assets", "encrypted", "reference", "references", "unknown"]
    var kept = fields.filter { !others.contains($0.key) }
    // Servers keep milliseconds.
    kept["timestamps"] = .init(
      value: .timestampListValue(.init(values: [.init(), .init(seconds: -1, nanos: 5_000_000)]))
    )
    return kept
  }
}
