internal import TidingsJSON

extension VectorArea {
  /// The file's text.
  var text: String {
    let object: JSONObject = [
      "area": .string(name),
      "about": .string(about),
      "vectors": .array(vectors.map { .object($0.json) }),
    ]
    return JSONValue.object(object).prettyDescription + "\n"
  }
}

extension Vector {
  fileprivate var json: JSONObject {
    var object: JSONObject = ["name": .string(name), "about": .string(about)]
    for (key, value) in content.members { object.append(key, value) }
    return object
  }
}

extension Vector.Content {
  fileprivate var members: [(String, JSONValue)] {
    switch self {
    case .message(let type, let binary, let json):
      [
        ("kind", .string("message")), ("type", .string(type)), ("binary", hex(binary)),
        ("json", json),
      ]
    case .unknownFields(let type, let binary, let json):
      [
        ("kind", .string("unknown_fields")), ("type", .string(type)), ("binary", hex(binary)),
        ("json", json),
      ]
    case .acceptedJSON(let type, let text, let binary):
      [
        ("kind", .string("accepted_json")), ("type", .string(type)), ("text", .string(text)),
        ("binary", hex(binary)),
      ]
    case .acceptedBinary(let type, let binary, let usual):
      [
        ("kind", .string("accepted_binary")), ("type", .string(type)), ("binary", hex(binary)),
        ("usual", hex(usual)),
      ]
    case .refusedBinary(let type, let binary):
      [("kind", .string("refused_binary")), ("type", .string(type)), ("binary", hex(binary))]
    case .refusedJSON(let type, let text):
      [("kind", .string("refused_json")), ("type", .string(type)), ("text", .string(text))]
    case .push(let push, let key, let channelID, let opened):
      [
        ("kind", .string("push")), ("push", hex(push)), ("key", hex(key)),
        ("channel_id", .string(channelID)), ("opened", opened.map(hex) ?? .null),
      ]
    case .value(let location, let value, let opened):
      [
        ("kind", .string("encrypted_value")), ("key_ring", .string(location.keyRing)),
        ("database_id", hex(location.databaseID)), ("record_id", hex(location.recordID)),
        ("field", .string(location.field)), ("user", .string(location.user)), ("value", hex(value)),
        ("opened", opened.map(hex) ?? .null),
      ]
    case .z85(let text, let bytes):
      [("kind", .string("z85")), ("text", .string(text)), ("bytes", bytes.map(hex) ?? .null)]
    case .keyFile(let text, let publicKey, let secretKey):
      [
        ("kind", .string("key_file")), ("text", .string(text)),
        ("public_key", publicKey.map(JSONValue.string) ?? .null),
        ("secret_key", secretKey.map(JSONValue.string) ?? .null),
      ]
    case .token(let token, let purpose, let numbers):
      [
        ("kind", .string("token")), ("token", .string(token)), ("purpose", .string(purpose)),
        ("numbers", numbers.map { .array($0.map(JSONValue.string)) } ?? .null),
      ]
    }
  }

  private func hex(_ bytes: [UInt8]) -> JSONValue { .string(hexadecimal(bytes)) }
}
