internal import TidingsJSON
internal import TidingsProto

/// Converts shares to and from JSON, with short names of enums: `READ_WRITE`.
enum ShareJSON {
  /// Returns the JSON of a record's share.
  static func json(_ share: TidingsV1.Share) -> JSONValue {
    .omittingNil([
      "rootRecordName": share.rootRecordName.isEmpty ? nil : .string(share.rootRecordName),
      "publicPermission": .string(name(share.publicPermission)),
      "participants": .array(share.participants.map(json)),
      "url": share.url.isEmpty ? nil : .string(share.url),
      "allowsAccessRequests": share.allowsAccessRequests ? .bool(true) : nil,
      "requesters": share.requesters.isEmpty ? nil : .array(share.requesters.map(json)),
      "blockedUserRecordNames": share.blockedUserRecordNames.isEmpty
        ? nil : .array(share.blockedUserRecordNames.map { .string($0) }),
    ])
  }

  /// Returns the JSON of a share as a user sees it who may join.
  static func json(_ metadata: TidingsV1.ShareMetadata) -> JSONValue {
    let zone = metadata.zoneID ?? .init()
    return .omittingNil([
      "url": .string(metadata.share?.share?.url ?? ""), "container": .string(metadata.container),
      "zoneName": .string(zone.name),
      "ownerName": zone.ownerName.isEmpty ? nil : .string(zone.ownerName),
      "rootRecordName": metadata.rootRecordName.isEmpty
        ? nil : .string(metadata.rootRecordName),
      "participant": metadata.participant.map(json),
      "share": metadata.share.map { RecordJSON.json($0) },
      "rootRecord": metadata.rootRecord.map { RecordJSON.json($0) },
    ])
  }

  static func json(_ participant: TidingsV1.Participant) -> JSONValue {
    .omittingNil([
      "userRecordName": .string(participant.userRecordName),
      "role": .string(role(participant)), "permission": .string(name(participant.permission)),
      "acceptanceStatus": .string(status(participant)),
      "participantID": participant.participantID.isEmpty
        ? nil : .string(participant.participantID),
      "oneTimeURL": participant.oneTimeURL.isEmpty ? nil : .string(participant.oneTimeURL),
      "expires": participant.expires.map { .string($0.text) },
    ])
  }

  private static func json(_ requester: TidingsV1.AccessRequester) -> JSONValue {
    .omittingNil([
      "userRecordName": .string(requester.userRecordName),
      "requested": requester.requested.map { .string($0.text) },
    ])
  }

  static func role(_ participant: TidingsV1.Participant) -> String {
    Contract.shortName(participant.role, "PARTICIPANT_ROLE_")
  }

  static func status(_ participant: TidingsV1.Participant) -> String {
    Contract.shortName(participant.acceptanceStatus, "ACCEPTANCE_STATUS_")
  }

  static func name(_ permission: TidingsV1.ParticipantPermission) -> String {
    permission == .unspecified
      ? "NONE" : Contract.shortName(permission, "PARTICIPANT_PERMISSION_")
  }

  /// Parses a share; ignores what the server sets, including the owner.
  static func share(_ json: JSONValue, _ path: String) throws(ValueError) -> TidingsV1.Share {
    let values = FieldValueJSON()
    let object = try values.members(
      json,
      path,
      allowing: [
        "rootRecordName", "publicPermission", "participants", "url", "allowsAccessRequests",
        "requesters", "blockedUserRecordNames",
      ]
    )
    var share = TidingsV1.Share()
    if let root = object["rootRecordName"] {
      share.rootRecordName = try values.string(root, "\(path).rootRecordName")
    }
    share.publicPermission = try permission(
      object["publicPermission"],
      "\(path).publicPermission"
    )
    try readAccess(object, path, into: &share)
    let participants = try list(object["participants"], "\(path).participants")
    for (index, participant) in participants.enumerated() {
      let participant = try self.participant(participant, "\(path).participants[\(index)]")
      // The owner is whoever saves the share, also elsewhere.
      if participant.role != .owner { share.participants.append(participant) }
    }
    return share
  }

  /// Parses requests for access; the server sets who asked and when.
  private static func readAccess(
    _ object: JSONObject,
    _ path: String,
    into share: inout TidingsV1.Share
  ) throws(ValueError) {
    let values = FieldValueJSON()
    switch object["allowsAccessRequests"] {
    case .bool(let allows)?: share.allowsAccessRequests = allows
    case .null?, nil: break
    default: throw ValueError("\(path).allowsAccessRequests", "expected true or false")
    }
    let requesters = try list(object["requesters"], "\(path).requesters")
    for (index, requester) in requesters.enumerated() {
      let path = "\(path).requesters[\(index)]"
      let members = try values.members(requester, path, allowing: ["userRecordName", "requested"])
      let user = try values.string(members["userRecordName"] ?? .null, "\(path).userRecordName")
      share.requesters.append(.init(userRecordName: user))
    }
    let path = "\(path).blockedUserRecordNames"
    for (index, user) in try list(object["blockedUserRecordNames"], path).enumerated() {
      share.blockedUserRecordNames.append(try values.string(user, "\(path)[\(index)]"))
    }
  }

  private static func list(
    _ json: JSONValue?,
    _ path: String
  ) throws(ValueError) -> [JSONValue] {
    guard let json else { return [] }
    guard let list = json.array else { throw ValueError(path, "expected a list") }
    return list
  }

  private static func participant(
    _ json: JSONValue,
    _ path: String
  ) throws(ValueError) -> TidingsV1.Participant {
    let values = FieldValueJSON()
    let object = try values.members(
      json,
      path,
      allowing: [
        "userRecordName", "role", "permission", "acceptanceStatus", "participantID", "oneTimeURL",
        "expires",
      ]
    )
    var participant = TidingsV1.Participant(
      userRecordName: try values.string(
        object["userRecordName"] ?? .null,
        "\(path).userRecordName"
      ),
      role: try role(object["role"], "\(path).role"),
      permission: try permission(object["permission"], "\(path).permission")
    )
    if let id = object["participantID"] {
      participant.participantID = try values.string(id, "\(path).participantID")
    }
    if let url = object["oneTimeURL"] {
      participant.oneTimeURL = try values.string(url, "\(path).oneTimeURL")
    }
    if let expires = object["expires"] {
      let text = try values.string(expires, "\(path).expires")
      guard let time = JSONTime(timestamp: text) else {
        throw ValueError("\(path).expires", "invalid time '\(text)': use 2027-01-31T00:00:00Z")
      }
      participant.expires = .init(seconds: time.seconds, nanos: time.nanoseconds)
    }
    return participant
  }

  private static func role(
    _ json: JSONValue?,
    _ path: String
  ) throws(ValueError) -> TidingsV1.ParticipantRole {
    guard let json, json != .null else { return .unspecified }
    let text = try FieldValueJSON().string(json, path)
    let known = TidingsV1.ParticipantRole.allCases.first {
      Contract.shortName($0, "PARTICIPANT_ROLE_") == text
    }
    guard let known else {
      throw ValueError(
        path,
        "invalid role '\(text)': use OWNER, ADMINISTRATOR, PRIVATE_USER or PUBLIC_USER"
      )
    }
    return known
  }

  private static func permission(
    _ json: JSONValue?,
    _ path: String
  ) throws(ValueError) -> TidingsV1.ParticipantPermission {
    guard let json, json != .null else { return .unspecified }
    let text = try FieldValueJSON().string(json, path)
    guard let permission = PermissionText.permission(text) else {
      throw ValueError(path, "invalid permission '\(text)': use NONE, READ_ONLY or READ_WRITE")
    }
    return permission
  }
}

/// Permissions as written on the command line: `read-write`.
enum PermissionText {
  /// The words, for help and messages.
  static let words = "none, read-only or read-write"

  /// Parses a permission in either spelling: `read-write`, `READ_WRITE`.
  static func permission(_ text: String) -> TidingsV1.ParticipantPermission? {
    switch text.lowercased().replacing("_", with: "-") {
    case "none": TidingsV1.ParticipantPermission.none
    case "read-only": .readOnly
    case "read-write": .readWrite
    default: nil
    }
  }

  /// Parses a participant `bob:read-write`; the default permission is read-only.
  static func participant(_ text: String) -> TidingsV1.Participant? {
    // A user name that contains a colon must be followed by a permission.
    guard let colon = text.lastIndex(of: ":") else {
      return text.isEmpty ? nil : .init(userRecordName: text, permission: .readOnly)
    }
    guard let permission = permission(String(text[text.index(after: colon)...])) else { return nil }
    let user = String(text[..<colon])
    return user.isEmpty ? nil : .init(userRecordName: user, permission: permission)
  }
}
