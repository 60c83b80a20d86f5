internal import CommandLineTools
internal import TidingsJSON
internal import TidingsModel

/// A record with placeholder values.
struct RecordTemplate: Equatable {
  let json: JSONValue

  /// Returns the template of a type.
  ///
  /// - Throws: `LocalFailure` if the schema, or the type in it, cannot be read.
  init(type name: String, schema text: String) throws(LocalFailure) {
    let schema: TidingsModel.Schema
    do {
      schema = try TidingsModel.Schema(text: text)
    } catch {
      throw LocalFailure("invalid schema from the server, \(error)")
    }
    guard let type = schema.recordTypes[name] else {
      let near = nearest(to: name, among: Array(schema.recordTypes.keys))
      throw LocalFailure(
        "unknown record type '\(name)'" + (near.map { "; did you mean \($0)?" } ?? "")
      )
    }
    var fields = JSONObject()
    for (name, field) in type.fields.sorted(by: { $0.key < $1.key }) where !name.hasPrefix("_") {
      let value = Self.value(field.type)
      fields.append(name, field.isEncrypted ? .object(["encrypted": value]) : value)
    }
    json = .object([
      "recordType": .string(name), "recordName": .string(""), "fields": .object(fields),
    ])
  }

  /// A placeholder value of a type.
  private static func value(_ type: TidingsModel.Schema.FieldType) -> JSONValue {
    switch type {
    case .number: .integer(0)
    case .values(let kind): value(kind)
    }
  }

  private static func value(_ kind: FieldValue.Kind) -> JSONValue {
    switch kind {
    case .string, .encryptedString: .string("")
    case .int64, .encryptedInt64: .integer(0)
    case .double, .encryptedDouble: .double(0)
    case .bytes, .encryptedBytes: .object(["bytes": .string("")])
    case .timestamp, .encryptedTimestamp:
      .object(["timestamp": .string("1970-01-01T00:00:00Z")])
    case .location, .encryptedLocation:
      .object(["location": .object(["latitude": .double(0), "longitude": .double(0)])])
    case .reference: .object(["reference": .string("")])
    case .asset: .object(["asset": .object(["checksum": .string(""), "size": .integer(0)])])
    case .unknownList: .array([])
    case .stringList: .array([value(.string)])
    case .int64List: .array([value(.int64)])
    case .doubleList: .array([value(.double)])
    case .bytesList: .array([value(.bytes)])
    case .timestampList: .array([value(.timestamp)])
    case .locationList: .array([value(.location)])
    case .referenceList: .array([value(.reference)])
    case .assetList: .array([value(.asset)])
    }
  }
}
