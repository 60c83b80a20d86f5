import TidingsProto
import TidingsRPC

extension RawClient {
  /// Makes fields of the existing types queryable; a server builds the indexes of old records later.
  func declareIndexes(of fields: some Sequence<String>) throws {
    let schema = try call(
      TidingsV1.SchemaService.Methods.fetchSchema,
      TidingsV1.FetchSchemaRequest(container: Calls.database.container, environment: .development),
      TidingsV1.FetchSchemaResponse.self
    )
    _ = try call(
      TidingsV1.SchemaService.Methods.applySchema,
      TidingsV1.ApplySchemaRequest(
        container: Calls.database.container,
        text: SchemaText.declaring(Set(fields), in: schema.text, isQueryable: true)
      ),
      TidingsV1.ApplySchemaResponse.self
    )
  }
}
