internal import TidingsProto
internal import TidingsRPC

/// What the schema of a container says of the types and fields that a request names.
package struct WebSchema: Sendable {
  private let types: [String: [String: String]]

  /// Reads the schema language as a server writes it: a declaration a line.
  init(text: String) {
    var types: [String: [String: String]] = [:]
    var current: String?
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let words = Substring(line).split { $0 == " " || $0 == "," || $0 == ";" }
      if words.count >= 3, words[0] == "RECORD", words[1] == "TYPE", current == nil {
        let name = Self.unquoted(words[2])
        types[name] = [:]
        current = name
      } else if words.first == ")" {
        current = nil
      } else if let type = current, let name = words.first, name != "GRANT" {
        types[type]?[Self.unquoted(name)] = Self.webName(words.dropFirst().joined(separator: " "))
      }
    }
    self.types = types
  }

  private static func unquoted(_ name: Substring) -> String { name.filter { $0 != "\"" } }

  func has(_ recordType: String) -> Bool { types[recordType] != nil }

  /// Whether records of a type have a field, system fields included.
  func has(_ field: String, of recordType: String) -> Bool {
    field.hasPrefix("___") || types[recordType]?[field] != nil
  }

  /// The type of a field as `type` names it; empty or `nil`: it is not known.
  func type(of field: String, in recordType: String) -> String? { types[recordType]?[field] }

  /// The type that a declaration has behind the name; empty: what values look like.
  private static func webName(_ declaration: String) -> String {
    if declaration.hasPrefix("ENCRYPTED") { return "ENCRYPTED_BYTES" }
    if declaration.hasPrefix("NUMBER PREFERRED AS ") {
      return String(declaration.split(separator: " ")[3])
    }
    let type = declaration.prefix { $0 != " " }
    if type == "NUMBER" || type.hasPrefix("LIST<ENCRYPTED") { return "" }
    guard type.hasPrefix("LIST<"), type.hasSuffix(">") else { return type == "ASSET" ? "ASSETID" : String(type) }
    return webName(String(type.dropFirst("LIST<".count).dropLast())) + "_LIST"
  }
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
