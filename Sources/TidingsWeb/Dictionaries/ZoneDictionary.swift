internal import TidingsJSON
internal import TidingsProto

/// `{zoneName, ownerRecordName, zoneType}`.
enum ZoneDictionary {
  static let defaultName = "_defaultZone"
  /// What clients send for whoever calls.
  private static let defaultOwners = ["_defaultOwner", "__defaultOwner__"]

  /// Reads the zone of a member; `nil`: it names none.
  static func read(
    _ input: WebInput,
    _ name: String = "zoneID",
    in database: WebDatabase
  ) throws(WebFailure) -> TidingsV1.ZoneID? {
    guard let zone = try input.object(name) else { return nil }
    return try id(zone, in: database)
  }

  static func id(
    _ zone: WebInput,
    in database: WebDatabase
  ) throws(WebFailure) -> TidingsV1.ZoneID {
    try zone.check(.zoneID)
    let name = try zone.requiredString("zoneName")
    let (recordName, ownerName) = (try zone.string("ownerRecordName"), try zone.string("ownerName"))
    var owner = recordName ?? ownerName ?? ""
    if defaultOwners.contains(owner) || owner == database.user { owner = "" }
    return .init(zoneName: name, ownerName: owner)
  }

  /// The zone of a member that must be there.
  static func required(
    _ input: WebInput,
    in database: WebDatabase
  ) throws(WebFailure) -> TidingsV1.ZoneID {
    guard let zone = try read(input, in: database) else { throw input.missing("zoneID") }
    return zone
  }

  static func json(_ zone: TidingsV1.ZoneID?, in database: WebDatabase) -> JSONValue {
    let name = zone?.zoneName ?? ""
    let isDefault = name.isEmpty || name == defaultName
    var object = JSONObject(capacity: 3)
    object.append("zoneName", .string(isDefault ? defaultName : name))
    let owner = zone?.ownerName ?? ""
    if !owner.isEmpty {
      object.append("ownerRecordName", .string(owner))
    } else if database.scope == .private, let user = database.user {
      object.append("ownerRecordName", .string(user))
    }
    object.append(
      "zoneType",
      .string(isDefault ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE")
    )
    return .object(object)
  }
}

extension TidingsV1.ZoneID {
  var isDefault: Bool { zoneName.isEmpty || zoneName == ZoneDictionary.defaultName }
}
