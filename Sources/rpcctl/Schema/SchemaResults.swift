internal import TidingsJSON
internal import TidingsProto

/// Schemas and their changes as printed.
enum SchemaResults {
  /// Prints changes, or a message if there are none.
  static func print(
    _ changes: [TidingsV1.SchemaChange],
    withoutChanges: String = "no changes",
    _ output: Output
  ) -> ExitCode {
    var results = Results(columns: ["CHANGE", "SUBJECT", "BEFORE", "AFTER"])
    for change in changes {
      let kind = Contract.shortName(change.kind, "SCHEMA_CHANGE_KIND_")
      results.append(
        .omittingNil([
          "change": .string(kind), "subject": .string(change.subject),
          "before": change.before.isEmpty ? nil : .string(change.before),
          "after": change.after.isEmpty ? nil : .string(change.after),
        ]),
        [kind, change.subject, change.before, change.after]
      )
    }
    if changes.isEmpty, output.format == .table { output.log(withoutChanges) }
    return results.finish(output)
  }

  /// Prints indexes.
  static func print(_ indexes: [TidingsV1.FieldIndex], _ output: Output) -> ExitCode {
    var results = Results(columns: ["RECORD TYPE", "FIELD", "FINDS", "STATE"])
    for index in indexes {
      results.append(
        json(index),
        [index.recordType, index.fieldName, finds(index), state(index)]
      )
    }
    return results.finish(output)
  }

  /// The schema as JSON.
  static func json(_ schema: TidingsV1.FetchSchemaResponse) -> JSONValue {
    .object([
      "text": .string(schema.text), "indexes": .array(schema.indexes.map(json)),
      // 64-bit numbers are strings in proto3's JSON.
      "version": .string("\(schema.version)"),
    ])
  }

  private static func json(_ index: TidingsV1.FieldIndex) -> JSONValue {
    .object([
      "recordType": .string(index.recordType), "fieldName": .string(index.fieldName),
      "finds": .string(finds(index)), "state": .string(state(index)),
    ])
  }

  private static func finds(_ index: TidingsV1.FieldIndex) -> String {
    index.searchable ? "WORDS" : "VALUES"
  }

  private static func state(_ index: TidingsV1.FieldIndex) -> String {
    Contract.shortName(index.state, "INDEX_STATE_")
  }
}
