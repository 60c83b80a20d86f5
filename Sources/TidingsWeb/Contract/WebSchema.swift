internal import TidingsModel
internal import TidingsProto
internal import TidingsRPC

/// What the schema of a container says of the types and fields that a request names.
package struct WebSchema: Sendable {
  private let types: [String: [String: String]]

  /// Reads the schema language; `nil`: it is none.
  init?(text: String) {
    guard let schema = try? Schema(text: text) else { return nil }
    types = schema.recordTypes.mapValues { type in
      type.fields.compactMapValues { Self.webName($0) }
    }
  }

  func has(_ recordType: String) -> Bool { types[recordType] != nil }

  /// Whether records of a type have a field, system fields included.
  func has(_ field: String, of recordType: String) -> Bool {
    field.hasPrefix("___") || types[recordType]?[field] != nil
  }

  /// The type of a field as `type` names it; `nil`: it is not known.
  func type(of field: String, in recordType: String) -> String? { types[recordType]?[field] }

  private static func webName(_ field: Schema.Field) -> String? {
    if field.isEncrypted { return "ENCRYPTED_BYTES" }
    switch field.type {
    case .number(let preferred): return preferred?.rawValue ?? ""
    case .values(let kind):
      let name = kind.rawValue
      guard name.hasPrefix("LIST<"), name.hasSuffix(">") else { return webName(name) }
      return webName(String(name.dropFirst("LIST<".count).dropLast())) + "_LIST"
    }
  }

  private static func webName(_ name: String) -> String { name == "ASSET" ? "ASSETID" : name }
}

extension WebCall {
  /// The schema as it is now; `nil`: the caller may not see it, or it cannot be fetched.
  func fetchSchema() async -> WebSchema? {
    let request = TidingsV1.FetchSchemaRequest(
      container: database.container,
      environment: database.environment
    )
    let client = TidingsV1.SchemaService.Client(transport)
    guard let answer = try? await client.fetchSchema(request, options: options) else { return nil }
    return WebSchema(text: answer.text)
  }

  /// Why a request that names a type and fields failed, in the words of CloudKit; `nil`: not because of them.
  func schemaFailure(recordType: String, fields: [String]) async -> WebFailure? {
    guard let schema = await fetchSchema() else { return nil }
    guard schema.has(recordType) else {
      return WebFailure(.notFound, "Did not find record type: \(recordType)")
    }
    guard let field = fields.first(where: { !schema.has($0, of: recordType) }) else { return nil }
    return .badRequest("Field '\(field)' not found in \(recordType)")
  }
}
