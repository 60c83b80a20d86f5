internal import TidingsProto

extension Oracle {
  /// Every user may change every record of the public database.
  private static let grants = ["GRANT READ TO \"_world\"", "GRANT CREATE, WRITE TO \"_icloud\""]

  /// A schema with these rights and without fields.
  public static let firstSchema =
    "DEFINE SCHEMA\n"
    + OracleFields.types.map { "RECORD TYPE \($0) (\(grants.joined(separator: ", ")));\n" }.joined()

  /// The text of a schema with some indexes, by type and field with a dot between, that loses nothing
  /// of what was learned; and learns what it declares.
  public mutating func declare(_ indexes: [String: [String]]) -> String {
    var text = "DEFINE SCHEMA\n"
    for type in OracleFields.types {
      for (field, kind) in OracleFields.schemaTypes {
        let number = Self.typeNames.firstIndex(of: kind).map { $0 + 1 }
        fieldTypes[type, default: [:]][field] = fieldTypes[type]?[field] ?? number
      }
      var lines = (fieldTypes[type] ?? [:]).map { field, kind in
        let words = indexes["\(type).\(field)"] ?? []
        let name = Self.typeNames[kind - 1]
        // A field may have another type than was meant for it.
        let isMeant = name == OracleFields.schemaTypes[field]
        return ([field, name] + (isMeant ? words : [])).joined(separator: " ")
      }
      for (field, kind) in [("___recordID", "REFERENCE"), ("___createTime", "TIMESTAMP")]
      where indexes["\(type).\(field)"] != nil {
        lines.append("\"\(field)\" \(kind) QUERYABLE")
      }
      lines = lines.sorted() + Self.grants
      text += "RECORD TYPE \(type) (\n  \(lines.joined(separator: ",\n  "))\n);\n"
    }
    return text
  }

  /// Whether all places to sort by are in fields that have places.
  public func canSort(_ query: OracleQuery) -> Bool {
    let location = Self.typeNames.firstIndex(of: "LOCATION").map { $0 + 1 }
    return query.order.allSatisfy { key in
      guard key.relativeLocation != nil else { return true }
      let kind = fieldTypes[query.recordType]?[key.fieldName]
      return kind == nil || kind == location
    }
  }

  /// By `FieldValue.kind`, counted from 1.
  private static let typeNames = [
    "STRING", "INT64", "DOUBLE", "BYTES", "TIMESTAMP", "LOCATION", "REFERENCE", "ASSET",
    "LIST<STRING>", "LIST<INT64>", "LIST<DOUBLE>", "LIST<BYTES>", "LIST<TIMESTAMP>",
    "LIST<LOCATION>", "LIST<REFERENCE>", "LIST<ASSET>",
  ]
}
