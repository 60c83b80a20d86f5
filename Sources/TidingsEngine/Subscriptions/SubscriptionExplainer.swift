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
      WHERE owner = ?1 AND database_id = ?2 AND subscription_id > ?3 AND ended IS NULL
      ORDER BY subscription_id LIMIT ?4
      """
    )
    selectRecord = try connection.prepare(
      "SELECT body FROM records WHERE zone_id = ?1 AND name = ?2 AND body IS NOT NULL"
    )
  }

  /// Subscriptions that are read at once: a remote database answers with all of them.
  private static let rowsPerRead = 100
  /// An explanation evaluates a predicate about so often, for one of both states.
  private static let evaluationsMax = 8

  /// Explains a change to a user's subscriptions in a database, or goes on with it.
  ///
  /// - Parameters:
  ///   - page: What is explained so far.
  ///   - change: The change.
  ///   - changeBytes: What was sent of it.
  ///   - ids: Only these subscriptions; none: all.
  ///   - caller: Whose subscriptions; who makes the change.
  ///   - reading: Which records the caller may read; `nil`: all.
  ///   - id: The database.
  ///   - time: When the change would be made.
  ///   - isOver: Whether the rest is for another slice; one subscription, or one comparison of it, gets on in any case.
  ///   - effort: What begins; the rest is for another slice.
  ///   - step: Called for each subscription; what it throws ends the work.
  /// - Returns: Whether all are explained.
  /// - Throws: `ItemError`, `SQLError`.
  func advance(
    _ page: inout ExplanationPage,
    _ change: ExplainedChange,
    of changeBytes: Int,
    to ids: [String],
    for caller: Caller,
    reading: PublicReading?,
    in id: DatabaseID,
    at time: Timestamp,
    until isOver: () -> Bool,
    effort: QueryEffort,
    _ step: () throws -> Void
  ) throws -> Bool {
    let database = try catalog.database(id)
    let modification = Record.ModificationInfo(timestamp: time, caller: caller)
    let shared = try id.scope == .shared ? sharedRecords(of: change, in: id) : nil
    let states = try states(of: change, shared, in: database, of: id, modification, reading)
    let isShared = try shared.map { try $0.concerns(old: states.old, new: states.new) } ?? true
    let slice = Slice(
      old: states.old,
      new: states.new,
      bytes: changeBytes + states.storedBytes,
      refusal: try refusal(of: states.new ?? states.old, reading),
      effort: effort
    )
    if page.isBegun, page.changeTag != states.old?.changeTag { page.open = nil }
    (page.isBegun, page.changeTag) = (true, states.old?.changeTag)
    let wanted = Set(ids)
    while let database {
      selectSubscriptions.bind(caller.user, at: 1)
      selectSubscriptions.bind(database.number, at: 2)
      selectSubscriptions.bind(page.last, at: 3)
      selectSubscriptions.bind(Int64(Self.rowsPerRead), at: 4)
      defer { selectSubscriptions.reset() }
      var count = 0
      while try selectSubscriptions.step() {
        try step()
        count += 1
        let name = selectSubscriptions.string(0)
        if ids.isEmpty || wanted.contains(name) {
          var subscription: Subscription?
          try selectSubscriptions.withBytes(1) { subscription = try codec.decodeSubscription($0) }
          guard let subscription else { throw SQLError(.damaged, "a subscription without a body") }
          let explanation =
            isShared
            ? explanation(of: subscription, slice, &page.open, until: isOver)
            : subscription.notShared
          guard let explanation else { return false }
          page.open = nil
          page.bytes += explanation.textBytes
          guard page.bytes <= limits.answerBytesMax else { throw Self.tooMany }
          page.explanations.append(explanation)
        }
        page.last = name
        if isOver() { return false }
      }
      if count < Self.rowsPerRead { break }
    }
    let explained = Set(page.explanations.map(\.subscriptionID))
    if let unknown = ids.first(where: { !explained.contains($0) }) {
      throw ItemError(
        .unknownItem,
        "subscription \(Identifier.shown(unknown)) does not exist"
      )
    }
    return true
  }

  /// What is explained in a slice.
  private struct Slice {
    let old: Record?
    let new: Record?
    /// Of both states.
    let bytes: Int
    let refusal: SubscriptionExplanation.Refusal?
    let effort: QueryEffort
  }

  /// Explains a change to a subscription; `nil`: another slice goes on.
  private func explanation(
    of subscription: Subscription,
    _ slice: Slice,
    _ open: inout ExplanationPage.Open?,
    until isOver: () -> Bool
  ) -> SubscriptionExplanation? {
    let (old, new, refusal) = (slice.old, slice.new, slice.refusal)
    let bytesAtOnceMax = subscription.predicate.bytesAtOnceMax
    guard slice.bytes * Self.evaluationsMax > bytesAtOnceMax,
      subscription.evaluatesPredicate(old: old, new: new, refusal)
    else { return subscription.explanation(old: old, new: new, refusal) }
    guard slice.effort == .any else { return nil }
    var known = open.flatMap { $0.subscriptionID == subscription.subscriptionID ? $0 : nil }
    if known?.predicate != subscription.predicate { known = nil }
    var answers = known?.answers ?? .init()
    func find(_ record: Record?, _ answers: inout ComparisonAnswers) -> Bool {
      guard var record else { return true }
      // The values are read once, and not for each comparison.
      record.fields = RecordFields(record.fields.sorted)
      return answers.find(
        of: subscription.predicate,
        in: record,
        largeBytesMin: bytesAtOnceMax,
        until: isOver
      )
    }
    guard find(old, &answers.old), find(new, &answers.new) else {
      open = .init(
        subscriptionID: subscription.subscriptionID,
        predicate: subscription.predicate,
        answers: answers
      )
      return nil
    }
    return subscription.explanation(old: old, new: new, refusal, knowing: answers)
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
  ) throws -> (old: Record?, new: Record?, storedBytes: Int) {
    switch change {
    case .change(let old, let new):
      let states = try Self.checked(old, new, modification)
      // A misspelled zone would be explained as if it were another one.
      if shared == nil, let record = states.new ?? states.old {
        _ = try zone(record.recordID.zoneID, in: database, of: id)
      }
      return (states.old, states.new, 0)
    case .save(var sent):
      if sent.recordID.recordName.isEmpty { sent.recordID.recordName = RecordID.randomName() }
      let removesParent = sent.parent?.recordID.recordName.isEmpty == true
      if removesParent { sent.parent = nil }
      let zone = try shared?.zone ?? zone(sent.recordID.zoneID, in: database, of: id)
      sent.recordID.zoneID = zone.id
      try sent.validate()
      let old = try stored(sent.recordID.recordName, in: zone, shared, reading)
      var new = try sent.merged(into: old?.record, in: zone, modification)
      if removesParent { new.parent = nil }
      // What is stored is in both states.
      return (old?.record, new, 2 * (old?.bytes ?? 0))
    case .deletion(let recordID):
      try recordID.validate()
      let zone = try shared?.zone ?? zone(recordID.zoneID, in: database, of: id)
      guard let old = try stored(recordID.recordName, in: zone, shared, reading) else {
        throw ItemError(
          .unknownItem,
          "record \(Identifier.shown(recordID.recordName)) does not exist: its deletion fires nothing"
        )
      }
      return (old.record, nil, old.bytes)
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
  ) throws -> (record: Record, bytes: Int)? {
    guard try shared?.holds(recordName) ?? true else { return nil }
    selectRecord.bind(zone.number, at: 1)
    selectRecord.bind(recordName, at: 2)
    defer { selectRecord.reset() }
    guard try selectRecord.step() else { return nil }
    var found: (record: Record, bytes: Int)?
    try selectRecord.withBytes(0) { found = (try codec.decodeRecord($0), $0.count) }
    guard let reading, let record = found?.record else { return found }
    return try reading.mayRead(record.recordType) { record.creator } ? found : nil
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
