internal import TidingsProto

extension Invocation {
  /// Fetches the schema of the container.
  ///
  /// - Parameter environment: The environment; `nil`: that of the settings.
  /// - Returns: The schema with its indexes.
  /// - Throws: The error of the call.
  func fetchSchema(
    _ environment: TidingsV1.Environment? = nil
  ) async throws -> TidingsV1.FetchSchemaResponse {
    try await TidingsV1.SchemaService.Client(try await connect().transport).fetchSchema(
      .init(container: settings.container, environment: environment ?? settings.environment),
      options: callOptions
    )
  }
}
