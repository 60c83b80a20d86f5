internal import TidingsJSON
internal import TidingsProto

/// One of the operations of `records/modify`.
struct RecordOperation {
  enum Action {
    case save(TidingsV1.Record, TidingsV1.SavePolicy)
    case delete(TidingsV1.RecordID, expectedTag: String)
  }

  let action: Action
  let desiredKeys: Set<String>?
  /// What is wrong with the record, which is not saved then.
  let failure: WebFailure?

  /// It fails if the record exists.
  var isCreation: Bool {
    if case .save(let record, .ifServerRecordUnchanged) = action {
      record.changeTag.isEmpty
    } else {
      false
    }
  }

  /// The zone of the record.
  var zoneID: TidingsV1.ZoneID {
    switch action {
    case .save(let record, _): record.recordID?.zoneID ?? .init()
    case .delete(let id, _): id.zoneID ?? .init()
    }
  }

  init(
    _ input: WebInput,
    zone: TidingsV1.ZoneID?,
    storedType: String? = nil,
    schema: WebSchema?,
    shares: [TidingsV1.RecordID: TidingsV1.Share],
    desiredKeys: Set<String>?,
    in database: WebDatabase
  ) throws(WebFailure) {
    try input.check(.recordOperation)
    let type = try input.requiredString("operationType")
    let record = try input.requiredObject("record")
    let (own, inner) = (try DesiredKeys.names(input), try DesiredKeys.names(record))
    self.desiredKeys = own ?? inner ?? desiredKeys
    let tag = try record.string("recordChangeTag") ?? ""
    var failure: WebFailure?
    func save(
      _ policy: TidingsV1.SavePolicy,
      tag: String = ""
    ) throws(WebFailure) -> Action {
      let id = try RecordDictionary.id(record, in: zone, of: database)
      do {
        var record = try RecordDictionary.read(
          record,
          in: zone,
          stored: storedType,
          as: schema,
          updating: shares,
          of: database
        )
        record.changeTag = tag
        return .save(record, policy)
      } catch {
        guard !error.isOfRequest else { throw error }
        failure = error
        return .save(.unreadable(id), policy)
      }
    }
    func requireName() throws(WebFailure) { _ = try record.requiredString("recordName") }
    func requireTag() throws(WebFailure) {
      guard tag.isEmpty else { return }
      throw .badRequest(
        "\(record.path(to: "recordChangeTag")) is missing: '\(type)' compares it; fetch the record, or use "
          + "'force\(type.prefix(1).uppercased())\(type.dropFirst())'"
      )
    }
    switch type {
    case "create": action = try save(.ifServerRecordUnchanged)
    case "update":
      try requireName()
      try requireTag()
      action = try save(.ifServerRecordUnchanged, tag: tag)
    case "forceUpdate":
      try requireName()
      action = try save(.changedKeys)
    case "replace":
      try requireName()
      action = try save(.replaceIfUnchanged, tag: tag)
    case "forceReplace":
      try requireName()
      action = try save(.replace)
    case "delete", "forceDelete":
      try requireName()
      try record.checkAsName()
      if type == "delete" { try requireTag() }
      action = .delete(
        try RecordDictionary.id(record, in: zone, of: database),
        expectedTag: type == "delete" ? tag : ""
      )
    default:
      throw .badRequest(
        "\(input.path(to: "operationType")) is '\(type)': use create, update, forceUpdate, replace, forceReplace, "
          + "delete or forceDelete"
      )
    }
    self.failure = failure
  }
}

extension TidingsV1.Record {
  /// In place of a record that cannot be read: the server refuses it, and with it what an atomic zone refuses then.
  fileprivate static func unreadable(_ id: TidingsV1.RecordID) -> Self {
    .init(
      recordID: id,
      recordType: "Unreadable",
      fields: ["time": .init(value: .timestampValue(.init(seconds: .max)))]
    )
  }
}

extension WebInput {
  /// The record of an operation that changes one and does not say its type.
  func untypedRecord(
    in zone: TidingsV1.ZoneID?,
    of database: WebDatabase
  ) throws(WebFailure) -> TidingsV1.RecordID? {
    guard
      ["update", "forceUpdate", "replace", "forceReplace"].contains(try string("operationType")),
      let record = try object("record"), try record.string("recordType") == nil
    else { return nil }
    let id = try RecordDictionary.id(record, in: zone, of: database)
    return id.recordName.isEmpty ? nil : id
  }

  /// Refuses members that a record, or a share, cannot have: clients name a record by all that they have of it.
  func checkAsName() throws(WebFailure) {
    try check(ShareDictionary.isShare(string("recordType") ?? "") ? .share : .record)
  }

  /// Whether a record of an operation has a value whose type is not sent.
  func hasUntaggedField() throws(WebFailure) -> Bool {
    guard let fields = try object("record")?.object("fields") else { return false }
    return fields.object.members.contains { member in
      guard let field = member.value.object, let value = field["value"], value != .null else {
        return false
      }
      return field["type"] == nil
    }
  }
}
