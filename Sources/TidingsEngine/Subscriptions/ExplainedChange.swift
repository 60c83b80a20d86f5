public import TidingsModel

/// A change to one record, whose consequences are asked for.
public enum ExplainedChange: Hashable, Sendable {
  /// From one state to another; without a state before a creation, without one after a deletion.
  case change(old: Record?, new: Record?)
  /// A save with the fields that change, onto what is stored.
  case save(Record)
  /// The deletion of what is stored.
  case deletion(RecordID)
}

/// What a change would cause for one subscription.
public struct SubscriptionExplanation: Hashable, Sendable {
  /// Which one.
  public var subscriptionID: String
  /// Whether it fires.
  public var fires: Bool
  /// Why a query subscription fires; `nil` when it does not, and for other kinds.
  public var reason: Event.Reason?
  /// The part of the predicate that is false, the option that is off, or the type or zone that
  /// differs, of at most 1,000 characters; empty when it fires.
  public var failedTerm = ""
  /// What the term asks for, as text; empty when there is no one value.
  public var expectedValue = ""
  /// What there is instead.
  public var actualValue = ""
  /// All of that as a sentence.
  public var message: String

  /// A longer term is cut to this many characters.
  static let termCharactersMax = 1_000

  /// The owner may not read the record.
  struct Refusal {
    let recordType: String
  }

  /// It does not fire, since its owner may not read the record.
  init(_ subscriptionID: String, _ refusal: Refusal) {
    self.init(
      subscriptionID,
      failedTerm: "READ on '\(refusal.recordType)'",
      expected: "granted",
      actual: "missing",
      "its owner may not read the record: " + ItemError.missing("READ", on: refusal.recordType)
    )
  }

  /// It fires.
  init(_ subscriptionID: String, fires reason: Event.Reason?, _ message: String) {
    self.subscriptionID = subscriptionID
    fires = true
    self.reason = reason
    self.message = message
  }

  /// It does not fire.
  init(
    _ subscriptionID: String,
    failedTerm: String,
    expected: String = "",
    actual: String = "",
    _ message: String
  ) {
    self.subscriptionID = subscriptionID
    fires = false
    self.failedTerm = String(failedTerm.prefix(Self.termCharactersMax))
    expectedValue = expected
    actualValue = actual
    self.message = message
  }
}
