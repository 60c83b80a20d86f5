internal import TidingsClient
internal import TidingsEncryption
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto

/// Encrypted fields in JSON.
///
/// `{"encrypted": VALUE}` is a value to encrypt, or one that was decrypted; `{"sealed": …}` is one as
/// stored by the server, which export and import leave unchanged.
enum EncryptedFields {
  /// Encrypts and decrypts with the key ring of the command line; `nil`: there is none.
  ///
  /// Task-local, since the JSON of a verb is read and written in many functions.
  @TaskLocal static var sealer: FieldSealer?

  static let openTag = "encrypted"
  static let sealedTag = "sealed"

  /// Returns the JSON of an encrypted value, decrypted if the key ring has its key.
  static func json(
    _ value: TidingsV1.FieldValue,
    _ encrypted: TidingsV1.EncryptedValue,
    field: String,
    of recordID: TidingsV1.RecordID,
    _ values: FieldValueJSON
  ) -> JSONValue {
    guard let opened = try? sealer?.open(value, in: field, of: recordID) else {
      return values.json(encrypted)
    }
    return .object([openTag: values.json(opened)])
  }

  /// Returns the value of a field to encrypt; `nil`: the JSON is another value.
  static func value(
    _ json: JSONValue,
    field: String,
    of recordID: TidingsV1.RecordID,
    _ values: FieldValueJSON,
    _ path: String
  ) throws(ValueError) -> TidingsV1.FieldValue? {
    guard let object = json.object, object.members.count == 1, let inner = object[openTag] else {
      return nil
    }
    let path = "\(path).\(openTag)"
    let plain = try values.value(inner, path)
    guard let sealer else {
      throw ValueError(
        path,
        "no key ring to encrypt it with: set --key-ring FILE, and create one with "
          + "`rpcctl keys ring create FILE`"
      )
    }
    do {
      return try sealer.seal(plain, in: field, of: recordID)
    } catch {
      throw ValueError(path, "\(error)")
    }
  }
}

extension FieldValueJSON {
  /// The text in tables for a field that cannot be decrypted.
  static let sealedText = "<encrypted>"

  /// Returns the JSON of a record's fields, sorted by name; encrypted ones are decrypted if possible.
  func json(
    _ fields: [String: TidingsV1.FieldValue],
    of recordID: TidingsV1.RecordID?
  ) -> JSONValue {
    var object = JSONObject()
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      object.append(name, json(value, field: name, of: recordID))
    }
    return .object(object)
  }

  private func json(
    _ value: TidingsV1.FieldValue,
    field: String,
    of recordID: TidingsV1.RecordID?
  ) -> JSONValue {
    guard case .encryptedValue(let encrypted)? = value.value else { return json(value) }
    return EncryptedFields.json(value, encrypted, field: field, of: recordID ?? .init(), self)
  }

  /// Returns the JSON of a field for people, without the types that encryption adds.
  func shown(
    _ value: TidingsV1.FieldValue,
    field: String,
    of recordID: TidingsV1.RecordID?
  ) -> JSONValue {
    guard case .encryptedValue? = value.value else { return json(value) }
    let opened = try? EncryptedFields.sealer?.open(value, in: field, of: recordID ?? .init())
    return opened.map(json) ?? .string(Self.sealedText)
  }

  /// Returns the fields of a record as one cell of a table.
  func text(_ record: TidingsV1.Record) -> String {
    var object = JSONObject()
    for (name, value) in record.fields.sorted(by: { $0.key < $1.key }) {
      object.append(name, shown(value, field: name, of: record.recordID))
    }
    return JSONValue.object(object).description
  }

  /// Returns the JSON of a value as stored.
  func json(_ value: TidingsV1.EncryptedValue) -> JSONValue {
    .object([
      EncryptedFields.sealedTag: .object([
        "type": .string(Contract.shortName(value.type, "ENCRYPTED_TYPE_")),
        "keyId": .string(value.keyID.hexadecimal),
        "bytes": .string(Base64.encode(value.sealed)),
      ])
    ])
  }

  /// Parses a value as stored.
  func sealed(
    _ json: JSONValue,
    _ path: String
  ) throws(ValueError) -> TidingsV1.EncryptedValue {
    let object = try members(json, path, allowing: ["type", "keyId", "bytes"])
    let name = try string(object["type"] ?? .null, "\(path).type")
    guard let type = Self.encryptedTypes.first(where: { Self.name(of: $0) == name }) else {
      throw ValueError(
        "\(path).type",
        "invalid type: use " + Self.encryptedTypes.map(Self.name).joined(separator: ", ")
      )
    }
    guard let keyID = [UInt8](hexadecimal: try string(object["keyId"] ?? .null, "\(path).keyId"))
    else { throw ValueError("\(path).keyId", "expected 16 hexadecimal digits") }
    guard let bytes = Base64.decode(try string(object["bytes"] ?? .null, "\(path).bytes")) else {
      throw ValueError("\(path).bytes", "invalid base64")
    }
    return .init(type: type, keyID: keyID, sealed: bytes)
  }

  private static let encryptedTypes: [TidingsV1.EncryptedType] = [
    .string, .int64, .double, .bytes, .timestamp, .location,
  ]

  private static func name(of type: TidingsV1.EncryptedType) -> String {
    Contract.shortName(type, "ENCRYPTED_TYPE_")
  }
}
