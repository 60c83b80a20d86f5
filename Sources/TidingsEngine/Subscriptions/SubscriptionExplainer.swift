internal import TidingsCodec
internal import TidingsModel
internal import TidingsSQL

/// Explains what a change would cause, on a reader's connection.
final class SubscriptionExplainer {
  private let catalog: Catalog
  private let shares: ShareReader
  private let codec: BodyCodec
  private let limits: Limits
  private let selectSubscriptions: any SQLStatement
  private let selectRecord: any SQLStatement

  init(
    _ connection: any SQLConnection,
    catalog: Catalog,
    shares: ShareReader,
    codec: BodyCodec,
    limits: Limits
  ) throws {
    self.catalog = catalog
    self.shares = shares
    self.codec = codec
    self.limits = limits
    selectSubscriptions = try connection.prepare(
      """
      SELECT subscription_id, body FROM memberships
      WHERE owner = ?1 AND database_id = ?2 AND ended IS NULL ORDER BY subscription_id
      """
    )
    selectRecord = try connection.prepare(
      "SELECT body FROM records WHERE zone_id = ?1 AND name = ?2 AND body IS NOT NULL"
    )
  }

  /// Explains a change to a user's subscriptions in a database.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - ids: Only these subscriptions; none: all.
  ///   - caller: Whose subscriptions; who makes the change.
  ///   - reading: Which records the caller may read; `nil`: all.
  ///   - id: The database.
  ///   - time: When the change would be made.
  ///   - step: Called for each subscription; what it throws ends the work.
  /// - Returns: An explanation for each, sorted by id.
  /// - Throws: `ItemError`, `SQLError`.
  func explain(
    _ change: ExplainedChange,
    to ids: [String],
    for caller: Caller,
    reading: PublicReading?,
    in id: DatabaseID,
    at time: Timestamp,
    _ step: () throws -> Void
  ) throws -> [SubscriptionExplanation] {
    let database = try catalog.database(id)
    let modification = Record.ModificationInfo(timestamp: time, caller: caller)
    let shared = try id.scope == .shared ? sharedRecords(of: change, in: id) : nil
    let (old, new) = try states(of: change, shared, in: database, of: id, modification, reading)
    let refusal = try refusal(of: new ?? old, reading)
    let isShared = try shared.map { try $0.concerns(old: old, new: new) } ?? true
    var wanted = Set(ids)
    var explanations: [SubscriptionExplanation] = []
    var bytes = 0
    if let database {
      selectSubscriptions.bind(caller.user, at: 1)
      selectSubscriptions.bind(database.number, at: 2)
      try selectSubscriptions.forEachRow {
        try step()
        let name = selectSubscriptions.string(0)
        guard ids.isEmpty || wanted.remove(name) != nil else { return }
        var subscription: Subscription?
        try selectSubscriptions.withBytes(1) { subscription = try codec.decodeSubscription($0) }
        let found =
          isShared
          ? subscription?.explanation(old: old, new: new, refusal) : subscription?.notShared
        guard let explanation = found else { return }
        bytes += explanation.textBytes
        guard bytes <= limits.answerBytesMax else { throw Self.tooMany }
        explanations.append(explanation)
      }
    }
    if let unknown = ids.first(where: wanted.contains) {
      throw ItemError(
        .unknownItem,
        "subscription \(Identifier.shown(unknown)) does not exist"
      )
    }
    return explanations
  }

  private static let tooMany = ItemError(
    .limitExceeded,
    "the explanations of all subscriptions are too long for one answer: name some of them"
  )

  // MARK: The states

  /// What others share with the user in the zone of a change to a shared database.
  private func sharedRecords(
    of change: ExplainedChange,
    in id: DatabaseID
  ) throws -> SharedRecords {
    let zone =
      switch change {
      case .change(let old, let new): (new ?? old)?.recordID.zoneID
      case .save(let sent): sent.recordID.zoneID
      case .deletion(let recordID): recordID.zoneID
      }
    return SharedRecords(try shares.acceptedZone(zone ?? .default, in: id, catalog), shares)
  }

  private func states(
    of change: ExplainedChange,
    _ shared: SharedRecords?,
    in database: DatabaseEntry?,
    of id: DatabaseID,
    _ modification: Record.ModificationInfo,
    _ reading: PublicReading?
  ) throws -> (old: Record?, new: Record?) {
    switch change {
    case .change(let old, let new):
      let states = try Self.checked(old, new, modification)
      // A misspelled zone would be explained as if it were another one.
      if shared == nil, let record = states.new ?? states.old {
        _ = try zone(record.recordID.zoneID, in: database, of: id)
      }
      return states
    case .save(var sent):
      if sent.recordID.recordName.isEmpty { sent.recordID.recordName = RecordID.randomName() }
      let removesParent = sent.parent?.recordID.recordName.isEmpty == true
      if removesParent { sent.parent = nil }
      let zone = try shared?.zone ?? zone(sent.recordID.zoneID, in: database, of: id)
      sent.recordID.zoneID = zone.id
      try sent.validate()
      let old = try stored(sent.recordID.recordName, in: zone, shared, reading)
      var new = try sent.merged(into: old, in: zone, modification)
      if removesParent { new.parent = nil }
      return (old, new)
    case .deletion(let recordID):
      try recordID.validate()
      let zone = try shared?.zone ?? zone(recordID.zoneID, in: database, of: id)
      guard let old = try stored(recordID.recordName, in: zone, shared, reading) else {
        throw ItemError(
          .unknownItem,
          "record \(Identifier.shown(recordID.recordName)) does not exist: its deletion fires nothing"
        )
      }
      return (old, nil)
    }
  }

  /// States that a caller made up, with what the server would add.
  private static func checked(
    _ sentOld: Record?,
    _ sentNew: Record?,
    _ modification: Record.ModificationInfo
  ) throws(ItemError) -> (old: Record?, new: Record?) {
    let names = [sentNew, sentOld].compactMap { $0?.recordID.recordName }
    let name = names.first { !$0.isEmpty } ?? RecordID.randomName()
    let old = try sentOld?.completed(name: name, created: modification, modified: modification)
    let new = try sentNew?.completed(
      name: name,
      created: old?.created ?? modification,
      modified: modification
    )
    guard let record = new ?? old else {
      throw ItemError(
        .invalidArguments,
        "there is no record: send the record after the change, before it, or both"
      )
    }
    if let old, old.recordID != record.recordID || old.recordType != record.recordType {
      throw ItemError(
        .invalidArguments,
        "record_before and record_after are not one record: they must have one name, zone and type"
      )
    }
    return (old, new)
  }

  private func zone(
    _ id: ZoneID,
    in database: DatabaseEntry?,
    of databaseID: DatabaseID
  ) throws -> ZoneEntry {
    if let database, let zone = try catalog.zone(id, in: database) { return zone }
    guard id == .default else {
      throw try catalog.absence(of: id, in: database, scope: databaseID.scope)
    }
    return ZoneEntry(
      number: 0,
      id: id,
      created: Timestamp(millisecondsSince1970: 0),
      head: 0,
      database: database ?? DatabaseEntry(number: 0, id: databaseID, head: 0)
    )
  }

  /// What is stored, if the caller may read it, in a shared database if it is shared with the user.
  private func stored(
    _ recordName: String,
    in zone: ZoneEntry,
    _ shared: SharedRecords?,
    _ reading: PublicReading?
  ) throws -> Record? {
    guard try shared?.holds(recordName) ?? true else { return nil }
    selectRecord.bind(zone.number, at: 1)
    selectRecord.bind(recordName, at: 2)
    defer { selectRecord.reset() }
    guard try selectRecord.step() else { return nil }
    var record: Record?
    try selectRecord.withBytes(0) { record = try codec.decodeRecord($0) }
    guard let reading, let found = record else { return record }
    return try reading.mayRead(found.recordType) { found.creator } ? found : nil
  }

  /// Why a subscription does not fire whose owner may not read the record; `nil`: the owner may.
  private func refusal(
    of record: Record?,
    _ reading: PublicReading?
  ) throws -> SubscriptionExplanation.Refusal? {
    guard let reading, let record else { return nil }
    switch try reading.readable(record.recordType) {
    case .all: return nil
    case .own where record.creator == reading.user: return nil
    case .own, .none:
      return SubscriptionExplanation.Refusal(recordType: record.recordType)
    }
  }
}

extension Record {
  /// This record as the server would keep it.
  fileprivate func completed(
    name: String,
    created: ModificationInfo,
    modified: ModificationInfo
  ) throws(ItemError) -> Record {
    var record = self
    if record.recordID.recordName.isEmpty { record.recordID.recordName = name }
    try record.validate()
    // Null removes a field: a state has no such fields.
    record.fields = RecordFields().applying(fields)
    record.created = self.created ?? created
    record.modified = self.modified ?? modified
    return record
  }
}

extension SubscriptionExplanation {
  /// About what it takes in an answer.
  fileprivate var textBytes: Int {
    subscriptionID.utf8.count + failedTerm.utf8.count + expectedValue.utf8.count
      + actualValue.utf8.count + message.utf8.count + 32
  }
}

extension SharedRecords {
  /// Whether a change is one to what is shared with the user: the record is, or will be with its parent.
  fileprivate func concerns(old: Record?, new: Record?) throws -> Bool {
    let names = [old, new].compactMap { $0?.recordID.recordName }
    if let name = names.first, try holds(name) { return true }
    return try new?.parent.map { try holds($0.recordID.recordName) } ?? false
  }
}

extension Subscription {
  /// The change is not one to what is shared with the user.
  fileprivate var notShared: SubscriptionExplanation {
    SubscriptionExplanation(
      subscriptionID,
      failedTerm: "the record is shared with the user",
      expected: "in a share that the user has accepted",
      actual: "in none",
      "it fires for what others share with the user: this record is in no share that the user has "
        + "accepted, and neither is its parent"
    )
  }
}
