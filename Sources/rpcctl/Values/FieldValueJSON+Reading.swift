internal import CommandLineTools
internal import TidingsFiles
internal import TidingsJSON
internal import TidingsProto

/// JSON that does not have the expected form.
struct ValueError: Error, Hashable, Sendable, CustomStringConvertible {
  let path: String
  let reason: String

  init(_ path: String, _ reason: String) {
    self.path = path
    self.reason = reason
  }

  var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}

extension FieldValueJSON {
  /// Returns the value of JSON; errors name the path.
  func value(_ json: JSONValue, _ path: String) throws(ValueError) -> TidingsV1.FieldValue {
    switch json {
    case .null: return .init()
    case .array(let elements): return .init(value: try list(elements, path))
    default: return .init(value: try single(json, path))
    }
  }

  private func single(
    _ json: JSONValue,
    _ path: String
  ) throws(ValueError)
    -> TidingsV1.FieldValue.Value
  {
    switch json {
    case .string(let string): return .stringValue(string)
    case .bool(let bool):
      throw ValueError(path, "a field cannot be a boolean: use \(bool ? 1 : 0) (INT64) for \(bool)")
    case .number(let number):
      return number.isInteger
        ? .int64Value(try integer(json, path)) : .doubleValue(try double(json, path))
    case .object(let object): return try tagged(object, path)
    case .null: throw ValueError(path, "null is not allowed in a list")
    case .array: throw ValueError(path, "a list is not allowed in a list")
    }
  }

  private func tagged(
    _ object: JSONObject,
    _ path: String
  ) throws(ValueError)
    -> TidingsV1.FieldValue.Value
  {
    guard object.members.count == 1,
      let (tag, json) = object.members.first.map({ ($0.name, $0.value) })
    else {
      throw ValueError(path, "expected an object with exactly one member: \(Self.tags)")
    }
    let path = "\(path).\(tag)"
    switch tag {
    case "string": return .stringValue(try string(json, path))
    case "int64": return .int64Value(try integer(json, path))
    case "double": return .doubleValue(try double(json, path))
    case "bytes": return .bytesValue(try bytes(json, path))
    case "timestamp": return .timestampValue(try timestamp(json, path))
    case "location": return .locationValue(try location(json, path))
    case "reference": return .referenceValue(try reference(json, path))
    case "asset": return .assetValue(try asset(json, path))
    case EncryptedFields.sealedTag: return .encryptedValue(try sealed(json, path))
    case EncryptedFields.openTag:
      throw ValueError(path, "only the whole value of a record's field can be encrypted")
    default:
      let near = nearest(to: tag, among: Self.tagNames)
      throw ValueError(
        path,
        "unknown type" + (near.map { "; did you mean \($0)?" } ?? ": \(Self.tags)")
      )
    }
  }

  private static let tagNames = [
    "string", "int64", "double", "bytes", "timestamp", "location", "reference", "asset",
    EncryptedFields.openTag, EncryptedFields.sealedTag,
  ]
  private static var tags: String { tagNames.joined(separator: ", ") }

  private func list(
    _ elements: [JSONValue],
    _ path: String
  ) throws(ValueError)
    -> TidingsV1.FieldValue.Value
  {
    var values: [TidingsV1.FieldValue.Value] = []
    for (index, element) in elements.enumerated() {
      let value = try single(element, "\(path)[\(index)]")
      if case .encryptedValue = value {
        throw ValueError("\(path)[\(index)]", "a list cannot have encrypted members")
      }
      values.append(value)
    }
    guard let first = values.first else { return .unknownListValue(.init()) }
    // Whole numbers among doubles become doubles.
    let isDouble = values.contains { if case .doubleValue = $0 { true } else { false } }
    let isNumeric = values.allSatisfy(\.isNumber)
    if isDouble, isNumeric { return .doubleListValue(.init(values: values.compactMap(\.double))) }
    let differs = values.firstIndex { $0.kindName != first.kindName }
    if let differs {
      throw ValueError(
        "\(path)[\(differs)]",
        "the elements of a list must have one type: this is a \(values[differs].kindName), "
          + "the first is a \(first.kindName)"
      )
    }
    return TidingsV1.FieldValue.Value(list: values, like: first)
  }
}

extension FieldValueJSON {
  func string(_ json: JSONValue, _ path: String) throws(ValueError) -> String {
    guard let string = json.string else {
      throw ValueError(path, "expected a string, not \(json.kindDescription)")
    }
    return string
  }

  private func number(_ json: JSONValue, _ path: String) throws(ValueError) -> JSONNumber {
    if let number = json.number { return number }
    guard let text = json.string, let number = (try? JSONValue(parsing: text))?.number else {
      throw ValueError(path, "expected a number, not \(json.kindDescription)")
    }
    return number
  }

  private func integer(_ json: JSONValue, _ path: String) throws(ValueError) -> Int64 {
    let number = try number(json, path)
    guard let integer = number.exactly(Int64.self) else {
      throw ValueError(path, "\(number.literal) is not a 64-bit integer")
    }
    return integer
  }

  private func double(_ json: JSONValue, _ path: String) throws(ValueError) -> Double {
    let number = try number(json, path)
    guard let double = number.double else {
      throw ValueError(path, "\(number.literal) is too large for a double")
    }
    return double
  }

  private func bytes(_ json: JSONValue, _ path: String) throws(ValueError) -> [UInt8] {
    guard let bytes = Base64.decode(try string(json, path)) else {
      throw ValueError(path, "invalid base64")
    }
    return bytes
  }

  private func timestamp(
    _ json: JSONValue,
    _ path: String
  ) throws(ValueError)
    -> GoogleProtobuf.Timestamp
  {
    if json.number != nil {
      let milliseconds = try integer(json, path)
      let rest = (milliseconds % 1000 + 1000) % 1000
      return .init(seconds: (milliseconds - rest) / 1000, nanos: Int32(rest) * 1_000_000)
    }
    guard let time = JSONTime(timestamp: try string(json, path)) else {
      throw ValueError(
        path,
        "invalid time: use \"2026-01-02T03:04:05.678Z\" or a number of milliseconds"
      )
    }
    return .init(seconds: time.seconds, nanos: time.nanoseconds)
  }

  private func location(
    _ json: JSONValue,
    _ path: String
  ) throws(ValueError)
    -> TidingsV1.Location
  {
    let object = try members(
      json,
      path,
      allowing: [
        "latitude", "longitude", "horizontalAccuracy", "verticalAccuracy", "altitude", "speed",
        "course", "timestamp",
      ]
    )
    func optional(_ name: String) throws(ValueError) -> Double? {
      guard let json = object[name], json != .null else { return nil }
      return try double(json, "\(path).\(name)")
    }
    guard let latitude = try optional("latitude"), let longitude = try optional("longitude") else {
      throw ValueError(path, "latitude and longitude are required")
    }
    var location = TidingsV1.Location(latitude: latitude, longitude: longitude)
    location.horizontalAccuracy = try optional("horizontalAccuracy")
    location.verticalAccuracy = try optional("verticalAccuracy")
    location.altitude = try optional("altitude")
    location.speed = try optional("speed")
    location.course = try optional("course")
    if let time = object["timestamp"], time != .null {
      location.timestamp = try timestamp(time, "\(path).timestamp")
    }
    return location
  }

  /// Returns a reference from a record's name, or from an object with name, zone and action.
  func reference(_ json: JSONValue, _ path: String) throws(ValueError) -> TidingsV1.Reference {
    if let name = json.string {
      return .init(recordID: .init(name, zoneName: zoneName), action: .none)
    }
    let object = try members(
      json,
      path,
      allowing: ["recordName", "zoneName", "ownerName", "action"]
    )
    guard let name = object["recordName"] else { throw ValueError(path, "recordName is required") }
    var zone = TidingsV1.ZoneID(zoneName: zoneName)
    if let name = object["zoneName"] { zone.zoneName = try string(name, "\(path).zoneName") }
    if let owner = object["ownerName"] { zone.ownerName = try string(owner, "\(path).ownerName") }
    let id = TidingsV1.RecordID(
      recordName: try string(name, "\(path).recordName"),
      zoneID: zone == TidingsV1.ZoneID() ? nil : zone
    )
    return .init(recordID: id, action: try action(object["action"], "\(path).action"))
  }

  private func action(
    _ json: JSONValue?,
    _ path: String
  ) throws(ValueError)
    -> TidingsV1.ReferenceAction
  {
    guard let json, json != .null else { return .none }
    switch try string(json, path) {
    case "none": return .none
    case "deleteSelf": return .deleteSelf
    case "validate": return .validate
    default: throw ValueError(path, "invalid action: use none, deleteSelf or validate")
    }
  }

  private func asset(_ json: JSONValue, _ path: String) throws(ValueError) -> TidingsV1.Asset {
    let object = try members(json, path, allowing: ["checksum", "size"])
    let size = try number(object["size"] ?? .null, "\(path).size")
    guard let size = size.exactly(UInt64.self) else {
      throw ValueError("\(path).size", "\(size.literal) is not a number of bytes")
    }
    return .init(
      checksum: try checksum(object["checksum"] ?? .null, "\(path).checksum"),
      size: size
    )
  }

  /// Returns a checksum from base64, as in results, or from hexadecimal, as printed by sha256sum and in tables.
  private func checksum(_ json: JSONValue, _ path: String) throws(ValueError) -> [UInt8] {
    if let checksum = json.string.flatMap({ [UInt8](hexadecimal: $0) }),
      checksum.count == SHA256.checksumBytes
    {
      return checksum
    }
    return try bytes(json, path)
  }

  /// Returns the members of an object; only the given names are allowed.
  func members(
    _ json: JSONValue,
    _ path: String,
    allowing names: [String]
  ) throws(ValueError)
    -> JSONObject
  {
    guard let object = json.object else {
      throw ValueError(path, "expected an object, not \(json.kindDescription)")
    }
    for member in object.members where !names.contains(member.name) {
      let near = nearest(to: member.name, among: names)
      throw ValueError(
        path.isEmpty ? member.name : "\(path).\(member.name)",
        "unknown member"
          + (near.map { "; did you mean \($0)?" } ?? "; use \(names.joined(separator: ", "))")
      )
    }
    return object
  }
}
