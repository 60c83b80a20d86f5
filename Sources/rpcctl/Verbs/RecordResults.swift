internal import TidingsJSON
internal import TidingsProto

/// What became of records, as it is printed.
enum RecordResults {
  private static let columns = ["RECORD", "TYPE", "CHANGE TAG", "RESULT"]

  /// Prints results; those of a fetch with the fields.
  static func print(
    _ recordResults: [TidingsV1.RecordResult], _ output: Output, hasFields: Bool
  ) -> ExitCode {
    var results = Results(columns: hasFields ? columns.dropLast() + ["FIELDS"] : columns)
    for result in recordResults {
      let id = result.recordID ?? .init()
      let name = name(id)
      switch result.outcome {
      case .record(let record):
        let text =
          hasFields ? FieldValueJSON().json(record.fields).description : "saved"
        results.append(
          RecordJSON.json(record, hasFields: hasFields),
          [self.name(record.recordID ?? id), record.recordType, record.changeTag, text])
      case .deleted:
        results.append(
          .omittingNil([
            "recordName": .string(id.recordName), "zoneName": id.zoneNameJSON,
            "deleted": .bool(true),
          ]), [name, "", "", "deleted"])
      case .error(let error): results.appendFailure(json(result, id, error), [name, "", "", error.text])
      case nil: results.appendFailure(json(result, id, .init()), [name, "", "", "no outcome"])
      }
    }
    return results.finish(output)
  }

  private static func json(
    _ result: TidingsV1.RecordResult, _ id: TidingsV1.RecordID, _ error: TidingsV1.ItemError
  ) -> JSONValue {
    .omittingNil([
      "recordName": .string(id.recordName), "zoneName": id.zoneNameJSON, "error": error.json,
      "serverRecord": result.serverRecord.map { RecordJSON.json($0) },
      "ancestorRecord": result.ancestorRecord.map { RecordJSON.json($0) },
    ])
  }

  private static func name(_ id: TidingsV1.RecordID) -> String {
    guard let zone = id.zoneID?.name, zone != ZoneName.defaultZone else { return id.recordName }
    return "\(zone)/\(id.recordName)"
  }
}
