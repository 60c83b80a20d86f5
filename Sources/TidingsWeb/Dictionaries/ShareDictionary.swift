internal import TidingsJSON
internal import TidingsProto

/// What records of the type `cloudkit.share` have besides.
enum ShareDictionary {
  static let recordType = "cloudkit.share"

  /// The archive spells it otherwise than the service.
  static func isShare(_ type: String) -> Bool { type == recordType || type == "cloudKit.share" }

  /// Reads a share to save.
  ///
  /// - Parameters:
  ///   - input: The dictionary.
  ///   - stored: The share as it is. What the dictionary does not name stays: participants, invitations, blocked users.
  /// - Returns: The share.
  /// - Throws: `badRequest`, with the path to what is wrong.
  static func read(
    _ input: WebInput,
    over stored: TidingsV1.Share? = nil
  ) throws(WebFailure) -> TidingsV1.Share {
    var share = stored ?? TidingsV1.Share()
    if let root = try input.object("forRecord") {
      try root.check(.shareRoot)
      share.rootRecordName = try root.requiredString("recordName")
    }
    if input["publicPermission"] != nil || stored == nil {
      share.publicPermission = try permission(input, "publicPermission")
    }
    guard input["participants"] != nil else { return share }
    share.participants.removeAll { $0.role != .owner }
    for participant in try input.objects("participants") {
      try participant.check(.participant)
      // The server adds the owner itself.
      if try participant.string("type") == "OWNER" { continue }
      share.participants.append(try Self.participant(participant, of: stored))
    }
    return share
  }

  /// A share is in the zone of what it shares, whichever of the two names it.
  static func checkZone(
    _ input: WebInput,
    of record: inout TidingsV1.Record,
    in database: WebDatabase
  ) throws(WebFailure) {
    guard let root = try input.object("forRecord"),
      let zone = try ZoneDictionary.read(root, in: database)
    else { return }
    guard let own = record.recordID?.zoneID, own != zone else {
      record.recordID?.zoneID = zone
      return
    }
    throw .badRequest(
      "\(root.path(to: "zoneID")) is '\(zone.zoneName)', and the share is in '\(own.zoneName)': a share is in the zone of what it "
        + "shares"
    )
  }

  private static func participant(
    _ input: WebInput,
    of stored: TidingsV1.Share?
  ) throws(WebFailure) -> TidingsV1.Participant {
    let identity = try input.object("userIdentity")
    try identity?.check(.identity)
    let known = try identity?.string("userRecordName")
    let lookupInfo = try identity?.object("lookupInfo")
    try lookupInfo?.check(.lookupInfo)
    let lookedUp = try lookupInfo?.string("userRecordName")
    let (name, id) = (known ?? lookedUp ?? "", try input.string("participantId") ?? "")
    // Whoever has not used an invitation has no name yet.
    let found = stored?.participants.first {
      name.isEmpty ? !id.isEmpty && $0.participantID == id : $0.userRecordName == name
    }
    guard !name.isEmpty || found != nil else {
      throw .badRequest(
        "\(input.path(to: "userIdentity")) has no userRecordName: look the user up with users/lookup"
      )
    }
    var participant = found ?? .init(userRecordName: name)
    if found == nil || input["type"] != nil {
      let isAdministrator = try input.string("type") == "ADMINISTRATOR"
      if isAdministrator || participant.role == .administrator || found == nil {
        participant.role = isAdministrator ? .administrator : .unspecified
      }
    }
    if found == nil || input["permission"] != nil {
      participant.permission = try permission(input, "permission")
    }
    return participant
  }

  private static func permission(
    _ input: WebInput,
    _ name: String
  ) throws(WebFailure) -> TidingsV1.ParticipantPermission {
    switch try input.string(name) {
    case "READ_ONLY": .readOnly
    case "READ_WRITE": .readWrite
    case "NONE", "UNKNOWN", nil: .none
    case let other?:
      throw .badRequest("\(input.path(to: name)) is '\(other)': use NONE, READ_ONLY or READ_WRITE")
    }
  }

  static func append(_ share: TidingsV1.Share, to object: inout JSONObject) {
    if !share.rootRecordName.isEmpty {
      object.append("forRecord", ["recordName": .string(share.rootRecordName)])
    }
    object.append("publicPermission", .string(name(share.publicPermission)))
    object.append("participants", .array(share.participants.map(json)))
    if !share.url.isEmpty {
      object.append("shortGUID", .string(ShareAddress.guid(share.url)))
      object.append("tidingsURL", .string(share.url))
    }
    for participant in share.participants where participant.role == .owner {
      object.append("owner", json(participant))
    }
  }

  static func json(_ participant: TidingsV1.Participant) -> JSONValue {
    let type =
      switch participant.role {
      case .owner: "OWNER"
      case .administrator: "ADMINISTRATOR"
      case .publicUser: "PUBLIC_USER"
      default: "USER"
      }
    return [
      "participantId": .string(
        participant.participantID.isEmpty
          ? participant.userRecordName : participant.participantID
      ),
      "userIdentity": UserDictionary.identity(participant.userRecordName),
      "type": .string(type),
      "permission": .string(name(participant.permission)),
      "acceptanceStatus": .string(status(participant.acceptanceStatus)),
    ]
  }

  static func status(_ status: TidingsV1.AcceptanceStatus) -> String {
    switch status {
    case .accepted: "ACCEPTED"
    case .removed: "REMOVED"
    default: "INVITED"
    }
  }

  static func name(_ permission: TidingsV1.ParticipantPermission) -> String {
    switch permission {
    case .readOnly: "READ_ONLY"
    case .readWrite: "READ_WRITE"
    default: "NONE"
    }
  }
}

/// The part of a share's URL that names it: clients send and show it alone.
enum ShareAddress {
  static func guid(_ url: String) -> String {
    url.split(separator: "/").last.map(String.init) ?? url
  }

  /// The URL of a share in a container; one that is sent whole stays as it is.
  static func url(_ guid: String, in database: WebDatabase) -> String {
    if guid.contains("/") { return guid }
    return "tidings://share/\(database.container)/\(database.environment.webName)/\(guid)"
  }
}
