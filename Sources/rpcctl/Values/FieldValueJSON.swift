internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

/// Converts field values between the wire's types and plain JSON.
///
/// Strings, integers, numbers with a fraction or an exponent, and lists of one type are written as
/// such; `null` removes a field; `true` and `false` are the integers 1 and 0. All other values are
/// an object with one member that names the type.
struct FieldValueJSON: Sendable {
  /// The zone of references without one; omitted in output.
  let zoneName: String

  init(zoneName: String = "") { self.zoneName = zoneName }
}

extension FieldValueJSON {
  /// Returns the JSON of a value.
  func json(_ value: TidingsV1.FieldValue) -> JSONValue {
    switch value.value {
    case nil: .null
    case .stringValue(let string)?: .string(string)
    case .int64Value(let number)?: .integer(number)
    case .doubleValue(let number)?: json(number)
    case .bytesValue(let bytes)?: json(bytes)
    case .timestampValue(let time)?: json(time)
    case .locationValue(let location)?: json(location)
    case .referenceValue(let reference)?: .object(["reference": json(reference)])
    case .assetValue(let asset)?: json(asset)
    case .stringListValue(let list)?: .array(list.values.map { .string($0) })
    case .int64ListValue(let list)?: .array(list.values.map { .integer($0) })
    case .doubleListValue(let list)?: .array(list.values.map(json))
    case .bytesListValue(let list)?: .array(list.values.map(json))
    case .timestampListValue(let list)?: .array(list.values.map(json))
    case .locationListValue(let list)?: .array(list.values.map(json))
    case .referenceListValue(let list)?:
      .array(list.values.map { .object(["reference": json($0)]) })
    case .assetListValue(let list)?: .array(list.values.map(json))
    case .unknownListValue?: .array([])
    case .encryptedValue(let value)?: json(value)
    }
  }

  /// Returns the JSON of a reference, without the member that names the type.
  func json(_ reference: TidingsV1.Reference) -> JSONValue {
    let zone = reference.recordID?.zoneID?.zoneName ?? ""
    let owner = reference.recordID?.zoneID?.ownerName ?? ""
    let action: JSONValue? =
      switch reference.action {
      case .unspecified, .none: nil
      case .deleteSelf: .string("deleteSelf")
      case .validate: .string("validate")
      default: .integer(reference.action.rawValue)
      }
    let name = JSONValue.string(reference.recordID?.recordName ?? "")
    let isElsewhere = ZoneName.canonical(zone) != ZoneName.canonical(zoneName)
    guard isElsewhere || !owner.isEmpty || action != nil else { return name }
    return .omittingNil([
      "recordName": name, "zoneName": isElsewhere ? .string(ZoneName.canonical(zone)) : nil,
      "ownerName": owner.isEmpty ? nil : .string(owner), "action": action,
    ])
  }

  private func json(_ number: Double) -> JSONValue {
    // Servers reject values that are not finite; JSON has no numbers for them.
    number.isFinite ? .double(number) : .object(["double": .string("\(number)")])
  }

  private func json(_ bytes: [UInt8]) -> JSONValue {
    .object(["bytes": .string(Base64.encode(bytes))])
  }

  private func json(_ time: GoogleProtobuf.Timestamp) -> JSONValue {
    .object(["timestamp": .timestamp(time)])
  }

  private func json(_ location: TidingsV1.Location) -> JSONValue {
    .object([
      "location": .omittingNil([
        "latitude": json(location.latitude), "longitude": json(location.longitude),
        "horizontalAccuracy": location.horizontalAccuracy.map(json),
        "verticalAccuracy": location.verticalAccuracy.map(json),
        "altitude": location.altitude.map(json), "speed": location.speed.map(json),
        "course": location.course.map(json),
        "timestamp": location.timestamp.map { .timestamp($0) },
      ])
    ])
  }

  func json(_ asset: TidingsV1.Asset) -> JSONValue {
    .object([
      "asset": .object([
        "checksum": .string(Base64.encode(asset.checksum)), "size": .integer(asset.size),
      ])
    ])
  }
}

extension JSONValue {
  /// Returns a time as `2026-01-02T03:04:05.678Z`, or in milliseconds outside of the years 1 to 9999.
  static func timestamp(_ time: GoogleProtobuf.Timestamp) -> JSONValue {
    if let text = JSONTime(seconds: time.seconds, nanoseconds: time.nanos).timestampText {
      return .string(text)
    }
    return .integer(time.seconds.multipliedReportingOverflow(by: 1000).partialValue)
  }
}

/// Names of zones: empty and `_defaultZone` mean the same.
enum ZoneName {
  static let defaultZone = "_defaultZone"

  static func canonical(_ name: String) -> String { name.isEmpty ? defaultZone : name }
}

extension TidingsV1.ZoneID {
  /// The zone's name; for the default zone the full name.
  var name: String { ZoneName.canonical(zoneName) }
}

extension TidingsV1.RecordID {
  /// A record in a zone; an empty zone name means the default zone.
  init(_ recordName: String, zoneName: String) {
    self.init(recordName, in: .init(zoneName: zoneName))
  }

  /// A record in a zone; a zone without any name is the default zone.
  init(_ recordName: String, in zone: TidingsV1.ZoneID) {
    self.init(recordName: recordName, zoneID: zone == TidingsV1.ZoneID() ? nil : zone)
  }

  /// The name of the zone, in JSON; `nil` for the default zone.
  var zoneNameJSON: JSONValue? {
    guard let name = zoneID?.name, name != ZoneName.defaultZone else { return nil }
    return .string(name)
  }

  /// The owner of the zone, in JSON; `nil` outside the shared database.
  var ownerNameJSON: JSONValue? {
    guard let owner = zoneID?.ownerName, !owner.isEmpty else { return nil }
    return .string(owner)
  }
}
