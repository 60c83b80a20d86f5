import TidingsProto
import TidingsRPC

extension RawClient {
  /// Makes fields of the existing types queryable; a server builds the indexes of old records later.
  func declareIndexes(of fields: some Sequence<String>) throws {
    let fields = Set(fields)
    let schema = try call(
      TidingsV1.SchemaService.Methods.fetchSchema,
      TidingsV1.FetchSchemaRequest(container: Calls.database.container, environment: .development),
      TidingsV1.FetchSchemaResponse.self
    )
    let lines = schema.text.split(separator: "\n").map { line -> String in
      let words = line.split(whereSeparator: { " ,".contains($0) })
      guard words.count == 2, fields.contains(String(words[0])) else { return String(line) }
      return "\(words[0]) \(words[1]) QUERYABLE" + (line.hasSuffix(",") ? "," : "")
    }
    _ = try call(
      TidingsV1.SchemaService.Methods.applySchema,
      TidingsV1.ApplySchemaRequest(
        container: Calls.database.container,
        text: lines.joined(separator: "\n")
      ),
      TidingsV1.ApplySchemaResponse.self
    )
  }
}
