internal import CommandLineTools
internal import TidingsJSON
internal import TidingsProto

/// Converts field values between the wire's types and plain JSON.
///
/// Strings, whole numbers, numbers with a fraction or an exponent, and lists of one type stand for
/// themselves; `null` removes a field; `true` and `false` are the whole numbers 1 and 0. Everything
/// else is an object with one member that names the type.
struct FieldValueJSON: Sendable {
  /// The zone of references that name none, and that is left out when they are written.
  let zoneName: String

  init(zoneName: String = "") { self.zoneName = zoneName }
}

extension FieldValueJSON {
  /// The JSON of a value.
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

  /// The JSON of a reference, without the member that names the type.
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
    // A server refuses what is not finite; JSON has no numbers for it.
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
  /// A time as `2026-01-02T03:04:05.678Z`; one outside the years 1 to 9999 in milliseconds.
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
  /// The zone's name; the default zone's in full.
  var name: String { ZoneName.canonical(zoneName) }
}

extension TidingsV1.RecordID {
  /// A record in a zone; an empty zone name means the default zone.
  init(_ recordName: String, zoneName: String) {
    self.init(recordName, in: .init(zoneName: zoneName))
  }

  /// A record in a zone; one without any name is the default zone.
  init(_ recordName: String, in zone: TidingsV1.ZoneID) {
    self.init(recordName: recordName, zoneID: zone == TidingsV1.ZoneID() ? nil : zone)
  }

  /// The name of the zone, in JSON; `nil` for the default zone.
  var zoneNameJSON: JSONValue? {
    guard let name = zoneID?.name, name != ZoneName.defaultZone else { return nil }
    return .string(name)
  }

  /// The owner of the zone, in JSON; `nil` outside of the shared database.
  var ownerNameJSON: JSONValue? {
    guard let owner = zoneID?.ownerName, !owner.isEmpty else { return nil }
    return .string(owner)
  }
}
