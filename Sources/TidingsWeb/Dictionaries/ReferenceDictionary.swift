internal import TidingsJSON
internal import TidingsProto

/// `{recordName, action, zoneID}`.
enum ReferenceDictionary {
  /// Reads a reference; one that names no zone is to a record of the given one.
  static func read(
    _ input: WebInput,
    from zone: TidingsV1.ZoneID?,
    in database: WebDatabase
  ) throws(WebFailure) -> TidingsV1.Reference {
    try input.check(.reference)
    let action: TidingsV1.ReferenceAction
    switch try input.string("action") {
    case "NONE", nil: action = .none
    case "DELETE_SELF": action = .deleteSelf
    case "VALIDATE": action = .validate
    case let other?:
      throw .badRequest(
        "\(input.path(to: "action")) is '\(other)': use NONE, DELETE_SELF or VALIDATE"
      )
    }
    return .init(
      recordID: .init(
        recordName: try input.requiredString("recordName"),
        zoneID: try ZoneDictionary.read(input, in: database) ?? zone
      ),
      action: action
    )
  }

  static func json(_ reference: TidingsV1.Reference, in database: WebDatabase) -> JSONValue {
    let action =
      switch reference.action {
      case .deleteSelf: "DELETE_SELF"
      case .validate: "VALIDATE"
      default: "NONE"
      }
    return [
      "recordName": .string(reference.recordID?.recordName ?? ""),
      "action": .string(action),
      "zoneID": ZoneDictionary.json(reference.recordID?.zoneID, in: database),
    ]
  }
}
