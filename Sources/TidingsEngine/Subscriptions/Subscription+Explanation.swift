internal import TidingsModel

// The same decision as that of the channel index and the event log, made for one subscription and
// with its grounds.
extension Subscription {
  /// What a change to a record would cause.
  ///
  /// - Parameters:
  ///   - old: The record before; `nil`: it is created.
  ///   - new: The record after; `nil`: it is deleted.
  ///   - refusal: The owner may not read the record; `nil`: the owner may.
  ///   - known: What is known of the comparisons of the predicate.
  /// - Returns: Whether the subscription fires; if not, the first of these that is wrong: the zone, the
  ///   record type, the right to read it, that anything changes, the option, the predicate.
  func explanation(
    old: Record?,
    new: Record?,
    _ refusal: SubscriptionExplanation.Refusal? = nil,
    knowing known: ChangeAnswers = .init()
  ) -> SubscriptionExplanation {
    guard let record = new ?? old else {
      preconditionFailure("a change has a state before or after it")
    }
    if let explanation = mismatch(record) { return explanation }
    if let refusal { return SubscriptionExplanation(subscriptionID, refusal) }
    if let explanation = invisibility(old: old, new: new) { return explanation }
    guard kind == .query else {
      return SubscriptionExplanation(
        subscriptionID,
        fires: nil,
        "it fires for the zone '\(record.recordID.zoneID.zoneName)', which the change belongs to"
      )
    }
    let event = RecordEvent(
      matched: old.map { predicate.matches($0, knowing: known.old) },
      matches: new.map { predicate.matches($0, knowing: known.new) }
    )
    if let reason = event.reasons.first(where: { options.contains($0.option) }) {
      return SubscriptionExplanation(
        subscriptionID,
        fires: reason,
        // It leaves by a deletion too.
        new == nil ? Event.Reason.recordDeleted.sentence : reason.sentence
      )
    }
    return grounds(of: event, old: old, new: new, known)
  }

  /// Whether `explanation` evaluates the predicate.
  func evaluatesPredicate(
    old: Record?,
    new: Record?,
    _ refusal: SubscriptionExplanation.Refusal?
  ) -> Bool {
    guard kind == .query, refusal == nil, let record = new ?? old else { return false }
    return mismatch(record) == nil && invisibility(old: old, new: new) == nil
  }

  // MARK: What is wrong

  private func mismatch(_ record: Record) -> SubscriptionExplanation? {
    let zone = record.recordID.zoneID.zoneName
    if let zoneID, zoneID.zoneName != zone {
      return SubscriptionExplanation(
        subscriptionID,
        failedTerm: "zone '\(zoneID.zoneName)'",
        expected: zoneID.zoneName,
        actual: zone,
        "it watches the zone '\(zoneID.zoneName)', and the record is in the zone '\(zone)'"
      )
    }
    guard !recordType.isEmpty, recordType != record.recordType else { return nil }
    return SubscriptionExplanation(
      subscriptionID,
      failedTerm: "record type '\(recordType)'",
      expected: recordType,
      actual: record.recordType,
      "it watches records of the type '\(recordType)', and the record is of the type "
        + "'\(record.recordType)'"
    )
  }

  private func invisibility(old: Record?, new: Record?) -> SubscriptionExplanation? {
    guard let old, let new, old.fields.isIdentical(to: new.fields), old.parent == new.parent,
      old.recordType == new.recordType
    else { return nil }
    return SubscriptionExplanation(
      subscriptionID,
      failedTerm: "the record changes",
      expected: "another field or parent",
      actual: "the same",
      "the save changes neither a field nor the parent of the record, and such a save fires nothing"
    )
  }

  /// Why a query subscription does not fire for what happened.
  private func grounds(
    of event: RecordEvent,
    old: Record?,
    new: Record?,
    _ known: ChangeAnswers
  ) -> SubscriptionExplanation {
    // An option that asks for this sort of change, and for which the predicate is wrong.
    let after = event.reasonsIfMatching.first { options.contains($0.option) && $0.asksAfterwards }
    let before = event.reasonsIfMatching.first { options.contains($0.option) && !$0.asksAfterwards }
    if after != nil,
      let failure = new.flatMap({ predicate.firstFailure(for: $0, knowing: known.new) })
    {
      return SubscriptionExplanation(subscriptionID, failure, failure.message)
    }
    if before != nil,
      let failure = old.flatMap({ predicate.firstFailure(for: $0, knowing: known.old) })
    {
      let when = new == nil ? "" : ", before the change"
      return SubscriptionExplanation(subscriptionID, failure, failure.message + when)
    }
    let missing = event.reasons.first ?? event.reasonsIfMatching[0]
    return SubscriptionExplanation(
      subscriptionID,
      failedTerm: missing.optionName,
      expected: "on",
      actual: "off",
      "\(event.sentence), and \(missing.optionName) is off"
    )
  }
}

/// What is known of the comparisons of a predicate with a record before and after a change.
struct ChangeAnswers {
  var old = ComparisonAnswers()
  var new = ComparisonAnswers()
}

extension SubscriptionExplanation {
  fileprivate init(_ subscriptionID: String, _ failure: Predicate.Failure, _ message: String) {
    self.init(
      subscriptionID,
      failedTerm: failure.term,
      expected: failure.expectedValue,
      actual: failure.actualValue,
      message
    )
  }
}

/// What became of a record, as seen by a predicate.
private struct RecordEvent {
  /// `nil`: the record was not there.
  let matched: Bool?
  /// `nil`: the record is gone.
  let matches: Bool?

  /// For what a subscription can fire, the first that it asks for.
  var reasons: [Event.Reason] {
    switch (matched, matches) {
    case (nil, true): [.recordCreated, .recordEntered]
    case (true, nil): [.recordDeleted, .recordLeft]
    case (false, true): [.recordEntered, .recordUpdated]
    case (true, true): [.recordUpdated]
    case (true, false): [.recordLeft]
    default: []
    }
  }

  /// For what a subscription could fire if the predicate saw the states otherwise.
  var reasonsIfMatching: [Event.Reason] {
    switch (matched, matches) {
    case (nil, _): [.recordCreated, .recordEntered]
    case (_, nil): [.recordDeleted, .recordLeft]
    default: [.recordUpdated, .recordEntered, .recordLeft]
    }
  }

  var sentence: String {
    switch (matched, matches) {
    case (nil, _): "the record is created"
    case (_, nil): "the record is deleted"
    case (false, true): "the record is updated and matches now"
    case (true, false): "the record is updated and matches no longer"
    case (true, true): "the record is updated, and matches as before"
    default: "the record is updated"
    }
  }
}

extension Event.Reason {
  var option: Subscription.FiringOptions {
    switch self {
    case .recordCreated: .recordCreation
    case .recordUpdated: .recordUpdate
    case .recordDeleted: .recordDeletion
    case .recordEntered: .recordEnter
    case .recordLeft: .recordLeave
    }
  }

  /// Whether the record must match after the change; otherwise, before it.
  fileprivate var asksAfterwards: Bool {
    switch self {
    case .recordCreated, .recordUpdated, .recordEntered: true
    case .recordDeleted, .recordLeft: false
    }
  }

  /// The member of the contract that turns it on.
  fileprivate var optionName: String {
    switch self {
    case .recordCreated: "fires_on_record_creation"
    case .recordUpdated: "fires_on_record_update"
    case .recordDeleted: "fires_on_record_deletion"
    case .recordEntered: "fires_on_record_enter"
    case .recordLeft: "fires_on_record_leave"
    }
  }

  fileprivate var sentence: String {
    switch self {
    case .recordCreated: "the record is created and matches"
    case .recordUpdated: "the record is updated and matches"
    case .recordDeleted: "the record is deleted and matched"
    case .recordEntered: "the record matches and did not match before"
    case .recordLeft: "the record matched and matches no longer"
    }
  }
}
