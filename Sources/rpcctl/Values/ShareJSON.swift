internal import TidingsJSON
internal import TidingsProto

/// Converts what is shared between the wire and JSON, in which enums have their short names:
/// `READ_WRITE`.
enum ShareJSON {
  /// The JSON of what a record shares.
  static func json(_ share: TidingsV1.Share) -> JSONValue {
    .omittingNil([
      "rootRecordName": share.rootRecordName.isEmpty ? nil : .string(share.rootRecordName),
      "publicPermission": .string(name(share.publicPermission)),
      "participants": .array(share.participants.map(json)),
      "url": share.url.isEmpty ? nil : .string(share.url),
    ])
  }

  /// The JSON of a share as one who may join sees it.
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

  private static func json(_ participant: TidingsV1.Participant) -> JSONValue {
    .object([
      "userRecordName": .string(participant.userRecordName),
      "role": .string(role(participant)), "permission": .string(name(participant.permission)),
      "acceptanceStatus": .string(status(participant)),
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

  /// What JSON says is shared; what the server sets is passed over, its owner too.
  static func share(_ json: JSONValue, _ path: String) throws(ValueError) -> TidingsV1.Share {
    let values = FieldValueJSON()
    let object = try values.members(
      json,
      path,
      allowing: ["rootRecordName", "publicPermission", "participants", "url"]
    )
    var share = TidingsV1.Share()
    if let root = object["rootRecordName"] {
      share.rootRecordName = try values.string(root, "\(path).rootRecordName")
    }
    share.publicPermission = try permission(
      object["publicPermission"],
      "\(path).publicPermission"
    )
    guard let participants = object["participants"] else { return share }
    guard let participants = participants.array else {
      throw ValueError("\(path).participants", "a list must stand here")
    }
    for (index, participant) in participants.enumerated() {
      let participant = try self.participant(participant, "\(path).participants[\(index)]")
      // Whoever saves a share owns it, also elsewhere.
      if participant.role != .owner { share.participants.append(participant) }
    }
    return share
  }

  private static func participant(
    _ json: JSONValue,
    _ path: String
  ) throws(ValueError) -> TidingsV1.Participant {
    let values = FieldValueJSON()
    let object = try values.members(
      json,
      path,
      allowing: ["userRecordName", "role", "permission", "acceptanceStatus"]
    )
    return .init(
      userRecordName: try values.string(
        object["userRecordName"] ?? .null,
        "\(path).userRecordName"
      ),
      role: try role(object["role"], "\(path).role"),
      permission: try permission(object["permission"], "\(path).permission")
    )
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
      throw ValueError(path, "'\(text)' is not a role: use OWNER, PRIVATE_USER or PUBLIC_USER")
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
      throw ValueError(path, "'\(text)' is no permission: NONE, READ_ONLY or READ_WRITE")
    }
    return permission
  }
}

/// Permissions as the command line has them: `read-write`.
enum PermissionText {
  /// The words, for help and messages.
  static let words = "none, read-only or read-write"

  /// The permission that a word names, in either spelling: `read-write`, `READ_WRITE`.
  static func permission(_ text: String) -> TidingsV1.ParticipantPermission? {
    switch text.lowercased().replacing("_", with: "-") {
    case "none": TidingsV1.ParticipantPermission.none
    case "read-only": .readOnly
    case "read-write": .readWrite
    default: nil
    }
  }

  /// The participant that `bob:read-write` names; without a permission, one who reads.
  static func participant(_ text: String) -> TidingsV1.Participant? {
    // A user's name may have a colon, and is then written with its permission.
    guard let colon = text.lastIndex(of: ":") else {
      return text.isEmpty ? nil : .init(userRecordName: text, permission: .readOnly)
    }
    guard let permission = permission(String(text[text.index(after: colon)...])) else { return nil }
    let user = String(text[..<colon])
    return user.isEmpty ? nil : .init(userRecordName: user, permission: permission)
  }
}
