/// What came of a case.
public struct CaseResult: Hashable, Sendable {
  /// How it ended.
  public enum Outcome: Hashable, Sendable {
    /// As it should.
    case passed
    /// Otherwise: what was expected, and what came.
    case failed(String)
    /// The client cannot do what it needs.
    case skipped(String)
  }

  /// The case.
  public let name: String
  /// How it ended.
  public let outcome: Outcome
  /// How long it took, in milliseconds.
  public let milliseconds: Int
}
