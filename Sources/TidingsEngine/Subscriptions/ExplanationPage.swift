internal import TidingsModel

/// The explanation of a change, on which may be worked in slices: between two of them it holds no snapshot, and nothing of
/// the record.
public struct ExplanationPage: Sendable {
  /// A subscription whose predicate is not evaluated to its end.
  struct Open {
    let subscriptionID: String
    let predicate: Predicate
    var answers: ChangeAnswers
  }

  /// A slice was worked on.
  var isBegun = false
  /// Of the record before the change, as the last slice found it: if it has another one by now, answers are not valid.
  var changeTag: String?
  /// The last subscription that was looked at.
  var last = ""
  var open: Open?
  var bytes = 0
  /// One for each subscription, sorted by id.
  public internal(set) var explanations: [SubscriptionExplanation] = []

  /// Nothing is explained.
  public init() {}
}
