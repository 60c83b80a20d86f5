internal import TidingsJSON
internal import TidingsProto

/// The results of a call that saves and deletes records.
enum ModifyRecordsResults {
  /// Prints each item, cascaded deletions and, in tables, the fields of conflicts.
  static func print(
    _ response: TidingsV1.ModifyRecordsResponse,
    of request: TidingsV1.ModifyRecordsRequest,
    _ output: Output
  ) -> ExitCode {
    let would = request.dryRun ? "would be " : ""
    var results = Results(columns: RecordResults.columns)
    RecordResults.add(
      response.results,
      to: &results,
      hasFields: false,
      saved: would + "saved",
      deleted: would + "deleted"
    )
    for cascaded in response.cascadedDeletions {
      let (id, target) = (cascaded.recordID ?? .init(), cascaded.targetID ?? .init())
      results.append(
        .omittingNil([
          "recordName": .string(id.recordName), "zoneName": id.zoneNameJSON,
          "ownerName": id.ownerNameJSON, "recordType": .string(cascaded.recordType),
          "deleted": .bool(true),
          "deletedWith": .omittingNil([
            "recordName": .string(target.recordName), "zoneName": target.zoneNameJSON,
          ]),
        ]),
        [
          RecordResults.name(id), cascaded.recordType, "",
          "\(would)deleted with \(RecordResults.name(target))",
        ]
      )
    }
    let exitCode = results.finish(output)
    if output.format == .table {
      for (index, result) in response.results.enumerated() {
        let sent = index < request.recordsToSave.count ? request.recordsToSave[index] : .init()
        printConflict(result, sent: sent, output)
      }
    }
    return exitCode
  }

  /// The fields that differ, side by side.
  private static func printConflict(
    _ result: TidingsV1.RecordResult,
    sent: TidingsV1.Record,
    _ output: Output
  ) {
    guard let server = result.serverRecord else { return }
    let ancestor = result.ancestorRecord
    let values = FieldValueJSON(zoneName: server.recordID?.zoneID?.zoneName ?? "")
    func text(_ record: TidingsV1.Record?, _ name: String) -> String {
      record?.fields[name].map {
        values.shown($0, field: name, of: server.recordID).description
      } ?? ""
    }
    var table = Table(["FIELD", "SENT", "STORED"] + (ancestor == nil ? [] : ["AS READ"]))
    table.append(
      ["(change tag)", sent.changeTag, server.changeTag] + (ancestor.map { [$0.changeTag] } ?? [])
    )
    for name in Set(sent.fields.keys).union(server.fields.keys).sorted() {
      // A field that was not sent keeps its stored value.
      guard let value = sent.fields[name], value != server.fields[name] else { continue }
      table.append(
        [name, text(sent, name), text(server, name)]
          + (ancestor == nil ? [] : [text(ancestor, name)])
      )
    }
    output.write(
      text: "\nconflict of \(printable(RecordResults.name(result.recordID ?? .init()))):\n"
    )
    output.write(table)
  }
}
