internal import TidingsJSON
internal import TidingsProto

/// The results of records in a call.
enum RecordResults {
  /// The columns of a save; those of a fetch end with the fields.
  static let columns = ["RECORD", "TYPE", "CHANGE TAG", "RESULT"]

  /// Prints the results of a fetch.
  static func print(_ recordResults: [TidingsV1.RecordResult], _ output: Output) -> ExitCode {
    var results = Results(columns: columns.dropLast() + ["FIELDS"])
    add(recordResults, to: &results, hasFields: true)
    return results.finish(output)
  }

  /// Adds results, with the fields of the records or a word for what was done.
  static func add(
    _ recordResults: [TidingsV1.RecordResult],
    to results: inout Results,
    hasFields: Bool,
    saved: String = "saved",
    deleted: String = "deleted"
  ) {
    for result in recordResults {
      let id = result.recordID ?? .init()
      let name = name(id)
      switch result.outcome {
      case .record(let record):
        let text =
          hasFields ? FieldValueJSON().text(record) : saved
        results.append(
          RecordJSON.json(record, hasFields: hasFields),
          [self.name(record.recordID ?? id), record.recordType, record.changeTag, text]
        )
      case .deleted:
        results.append(
          .omittingNil([
            "recordName": .string(id.recordName), "zoneName": id.zoneNameJSON,
            "ownerName": id.ownerNameJSON, "deleted": .bool(true),
          ]),
          [name, "", "", deleted]
        )
      case .error(let error):
        results.appendFailure(json(result, id, error), [name, "", "", error.text])
      case nil: results.appendFailure(json(result, id, .init()), [name, "", "", "no result"])
      }
    }
  }

  private static func json(
    _ result: TidingsV1.RecordResult,
    _ id: TidingsV1.RecordID,
    _ error: TidingsV1.ItemError
  ) -> JSONValue {
    .omittingNil([
      "recordName": .string(id.recordName), "zoneName": id.zoneNameJSON,
      "ownerName": id.ownerNameJSON, "error": error.json,
      "serverRecord": result.serverRecord.map { RecordJSON.json($0) },
      "ancestorRecord": result.ancestorRecord.map { RecordJSON.json($0) },
    ])
  }

  /// The record's name, with the zone's unless that is the default zone.
  static func name(_ id: TidingsV1.RecordID) -> String {
    guard let zone = id.zoneID, zone.name != ZoneName.defaultZone else { return id.recordName }
    return "\(zone.shownName)/\(id.recordName)"
  }
}
