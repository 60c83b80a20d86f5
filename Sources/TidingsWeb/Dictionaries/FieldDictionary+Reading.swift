internal import TidingsJSON
internal import TidingsProto
internal import TidingsProtobuf

/// `{value, type}`: the value of a field.
enum FieldDictionary {
  /// Reads a field.
  ///
  /// Without a type it is what the value looks like.
  ///
  /// - Parameters:
  ///   - input: The dictionary.
  ///   - hint: The type if none is sent; empty: what the value looks like.
  ///   - zone: Of references that name none; `nil`: the default zone, or that of the query.
  ///   - database: Where the record is.
  /// - Returns: Without a value, if the field is to be removed.
  /// - Throws: `badRequest`, with the path to what is wrong.
  static func read(
    _ input: WebInput,
    hint: String? = nil,
    from zone: TidingsV1.ZoneID? = nil,
    in database: WebDatabase
  ) throws(WebFailure) -> TidingsV1.FieldValue {
    try input.check(.field)
    let type = try input.string("type")
    if try input.bool("isEncrypted") == true, type != "ENCRYPTED_BYTES" {
      throw .badForm(
        "\(input.path(to: "isEncrypted")) is true, and the gateway has no keys to encrypt with: save the field with a client "
          + "that has the user's keys, or send what it made as ENCRYPTED_BYTES"
      )
    }
    guard let value = input["value"] else { return .init() }
    let path = input.path(to: "value")
    if let type { return try read(value, as: plain(type), path, from: zone, in: database) }
    // What does not fit is what it looks like: the server says what is wrong with it.
    if let hint, !hint.isEmpty,
      let field = try? read(value, as: hint, path, from: zone, in: database)
    {
      return field
    }
    return try read(value, as: guess(value), path, from: zone, in: database)
  }

  private static func read(
    _ value: JSONValue,
    as name: String,
    _ path: String,
    from zone: TidingsV1.ZoneID?,
    in database: WebDatabase
  ) throws(WebFailure) -> TidingsV1.FieldValue {
    if name == "UNKNOWN_LIST" {
      guard value.array?.isEmpty == true else { throw .badRequest("\(path) is not an empty array") }
      return .init(value: .unknownListValue(.init()))
    }
    if name.hasSuffix("_LIST") {
      let member = String(name.dropLast("_LIST".count))
      guard let array = value.array else {
        throw .badRequest("\(path) is \(value.kindDescription), not an array, as \(name) needs")
      }
      return try list(array, of: member, path, from: zone, in: database)
    }
    return try .init(value: one(value, name, path, from: zone, in: database))
  }

  private static func guess(_ value: JSONValue) -> String {
    switch value {
    case .bool: "INT64"
    case .number(let number): number.isInteger ? "INT64" : "DOUBLE"
    case .object(let object):
      if object["recordName"] != nil {
        "REFERENCE"
      } else if object["latitude"] != nil {
        "LOCATION"
      } else {
        "ASSETID"
      }
    case .array(let array): listGuess(array)
    case .string, .null: "STRING"
    }
  }

  /// Numbers of which one has a fraction are DOUBLE.
  private static func listGuess(_ array: [JSONValue]) -> String {
    guard let first = array.first.map(guess) else { return "UNKNOWN_LIST" }
    let isDouble = first == "INT64" && array.contains { guess($0) == "DOUBLE" }
    return isDouble ? "DOUBLE_LIST" : first + "_LIST"
  }

  /// CloudKit's own names of numbers, which its clients see without `remapEnums`.
  private static func plain(_ name: String) -> String {
    name.hasPrefix("NUMBER_") ? String(name.dropFirst("NUMBER_".count)) : name
  }

  private static func one(
    _ value: JSONValue,
    _ name: String,
    _ path: String,
    from zone: TidingsV1.ZoneID?,
    in database: WebDatabase
  ) throws(WebFailure) -> TidingsV1.FieldValue.Value {
    switch name {
    case "STRING": .stringValue(try string(value, path))
    case "INT64": .int64Value(try int64(value, path))
    case "DOUBLE": .doubleValue(try double(value, path))
    case "TIMESTAMP": .timestampValue(try timestamp(value, path))
    case "BYTES": .bytesValue(try bytes(value, path))
    case "ENCRYPTED_BYTES": .encryptedValue(try encrypted(value, path))
    case "REFERENCE":
      .referenceValue(try ReferenceDictionary.read(object(value, path), from: zone, in: database))
    case "ASSETID", "ASSET": .assetValue(try AssetDictionary.read(object(value, path)))
    case "LOCATION": .locationValue(try LocationDictionary.read(object(value, path)))
    default:
      throw .badRequest(
        "the type '\(name)' of \(path) is not known: use STRING, INT64, DOUBLE, TIMESTAMP, BYTES, ENCRYPTED_BYTES, "
          + "REFERENCE, ASSETID, LOCATION, or one of these, except ENCRYPTED_BYTES, with _LIST"
      )
    }
  }

  private static func list(
    _ array: [JSONValue],
    of member: String,
    _ path: String,
    from zone: TidingsV1.ZoneID?,
    in database: WebDatabase
  ) throws(WebFailure) -> TidingsV1.FieldValue {
    func each<Value>(
      _ read: (JSONValue, String) throws(WebFailure) -> Value
    ) throws(WebFailure) -> [Value] {
      var values: [Value] = []
      values.reserveCapacity(array.count)
      for (index, value) in array.enumerated() {
        values.append(try read(value, "\(path)[\(index)]"))
      }
      return values
    }
    let value: TidingsV1.FieldValue.Value
    switch member {
    case "STRING": value = .stringListValue(.init(values: try each(string)))
    case "INT64": value = .int64ListValue(.init(values: try each(int64)))
    case "DOUBLE": value = .doubleListValue(.init(values: try each(double)))
    case "TIMESTAMP": value = .timestampListValue(.init(values: try each(timestamp)))
    case "BYTES": value = .bytesListValue(.init(values: try each(bytes)))
    case "LOCATION":
      value = .locationListValue(
        .init(
          values: try each { value, path throws(WebFailure) in
            try LocationDictionary.read(object(value, path))
          }
        )
      )
    case "REFERENCE":
      value = .referenceListValue(
        .init(
          values: try each { value, path throws(WebFailure) in
            try ReferenceDictionary.read(object(value, path), from: zone, in: database)
          }
        )
      )
    case "ASSETID", "ASSET":
      value = .assetListValue(
        .init(
          values: try each { value, path throws(WebFailure) in
            try AssetDictionary.read(object(value, path))
          }
        )
      )
    default: throw .badRequest("the type '\(member)_LIST' of \(path) is not known")
    }
    return .init(value: value)
  }

  // MARK: Scalars

  private static func string(_ value: JSONValue, _ path: String) throws(WebFailure) -> String {
    guard let text = value.string else { throw wrong(value, path, "a string") }
    return text
  }

  private static func int64(_ value: JSONValue, _ path: String) throws(WebFailure) -> Int64 {
    switch value {
    case .bool(let flag): return flag ? 1 : 0
    case .number(let number):
      if let integer = number.exactly(Int64.self) { return integer }
    case .string(let text):
      if let integer = Int64(text) { return integer }
    default: break
    }
    throw wrong(value, path, "a whole number of 64 bits")
  }

  private static func double(_ value: JSONValue, _ path: String) throws(WebFailure) -> Double {
    switch value {
    case .number(let number):
      if let double = number.double { return double }
    case .string(let text):
      if let double = Double(text), double.isFinite { return double }
    default: break
    }
    throw wrong(value, path, "a number that a DOUBLE can be")
  }

  /// Milliseconds since 1970, as a number or as text.
  static func timestamp(
    _ value: JSONValue,
    _ path: String
  ) throws(WebFailure) -> GoogleProtobuf.Timestamp {
    guard let text = value.number?.literal ?? value.string,
      let time = GoogleProtobuf.Timestamp(milliseconds: text)
    else {
      throw wrong(value, path, "a time in milliseconds since 1970, of the years 1 to 9999")
    }
    return time
  }

  private static func bytes(_ value: JSONValue, _ path: String) throws(WebFailure) -> [UInt8] {
    guard let bytes = value.string.flatMap({ Base64.decode($0) }) else {
      throw wrong(value, path, "base64")
    }
    return bytes
  }

  /// A value that only its users can read travels as it is stored.
  private static func encrypted(
    _ value: JSONValue,
    _ path: String
  ) throws(WebFailure) -> TidingsV1.EncryptedValue {
    guard let message = try? TidingsV1.EncryptedValue(decoding: bytes(value, path)) else {
      throw .badRequest(
        "\(path) is not an encrypted value: only a client with the user's encryption keys can make one"
      )
    }
    return message
  }

  private static func object(_ value: JSONValue, _ path: String) throws(WebFailure) -> WebInput {
    guard let object = value.object else { throw wrong(value, path, "an object") }
    return WebInput(object, at: path)
  }

  private static func wrong(_ value: JSONValue, _ path: String, _ expected: String) -> WebFailure {
    .badRequest("\(path) is \(value.shown), not \(expected)")
  }
}
