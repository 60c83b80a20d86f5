internal import TidingsClient
internal import TidingsEncryption
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto

/// Encrypted fields in JSON.
///
/// `{"encrypted": VALUE}` is a value that is sealed when it is saved, and one that was opened;
/// `{"sealed": …}` is one as the server has it, which export and import leave as it is.
enum EncryptedFields {
  /// Seals and opens, with the key ring of the command line; `nil`: there is none.
  ///
  /// A verb's JSON is read and written in many places; all of them are in the verb's task.
  @TaskLocal static var sealer: FieldSealer?

  static let openTag = "encrypted"
  static let sealedTag = "sealed"

  /// The JSON of a value that the server cannot read: opened, if the ring has its key.
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

  /// The value of a field that is to be encrypted; `nil`: the JSON is none.
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
        "it is to be encrypted, and there is no key ring: --key-ring FILE names one, and "
          + "`rpcctl keys ring create FILE` makes one"
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
  /// What a table shows of a field that cannot be read.
  static let sealedText = "<encrypted>"

  /// The JSON of a record's fields, sorted by name; sealed ones are opened, if they can be.
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

  /// The JSON of a field for people: without types that only encryption adds.
  func shown(
    _ value: TidingsV1.FieldValue,
    field: String,
    of recordID: TidingsV1.RecordID?
  ) -> JSONValue {
    guard case .encryptedValue? = value.value else { return json(value) }
    let opened = try? EncryptedFields.sealer?.open(value, in: field, of: recordID ?? .init())
    return opened.map(json) ?? .string(Self.sealedText)
  }

  /// The fields of a record in one cell of a table.
  func text(_ record: TidingsV1.Record) -> String {
    var object = JSONObject()
    for (name, value) in record.fields.sorted(by: { $0.key < $1.key }) {
      object.append(name, shown(value, field: name, of: record.recordID))
    }
    return JSONValue.object(object).description
  }

  /// A value as the server has it.
  func json(_ value: TidingsV1.EncryptedValue) -> JSONValue {
    .object([
      EncryptedFields.sealedTag: .object([
        "type": .string(Contract.shortName(value.type, "ENCRYPTED_TYPE_")),
        "keyId": .string(value.keyID.hexadecimal),
        "bytes": .string(Base64.encode(value.sealed)),
      ])
    ])
  }

  /// A value as the server has it, from its JSON.
  func sealed(
    _ json: JSONValue,
    _ path: String
  ) throws(ValueError) -> TidingsV1.EncryptedValue {
    let object = try members(json, path, allowing: ["type", "keyId", "bytes"])
    let name = try string(object["type"] ?? .null, "\(path).type")
    guard let type = Self.encryptedTypes.first(where: { Self.name(of: $0) == name }) else {
      throw ValueError(
        "\(path).type",
        "a type is one of " + Self.encryptedTypes.map(Self.name).joined(separator: ", ")
      )
    }
    guard let keyID = [UInt8](hexadecimal: try string(object["keyId"] ?? .null, "\(path).keyId"))
    else { throw ValueError("\(path).keyId", "16 hexadecimal digits must stand here") }
    guard let bytes = Base64.decode(try string(object["bytes"] ?? .null, "\(path).bytes")) else {
      throw ValueError("\(path).bytes", "the string is not base64")
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
