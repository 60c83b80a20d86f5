/// Callers that are rejected since the last commit, and retired topics.
public struct EndedAccess: Sendable {
  /// Keys that were revoked or have expired; web credentials, negated.
  public var keys: Set<Int64> = []
  /// Users who were restricted.
  public var users: Set<String> = []
  /// Control topics that were replaced: their last word is that their user's channels changed.
  public var controlTopics: Set<[UInt8]> = []
  /// Topics that were replaced.
  public var retiredTopics: [[UInt8]] = []

  mutating func add(_ other: Self) {
    keys.formUnion(other.keys)
    users.formUnion(other.users)
    controlTopics.formUnion(other.controlTopics)
    retiredTopics += other.retiredTopics
  }

  /// Nobody.
  public var isEmpty: Bool { keys.isEmpty && users.isEmpty && retiredTopics.isEmpty }
}
