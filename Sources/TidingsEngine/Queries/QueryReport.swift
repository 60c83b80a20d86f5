/// How a page of a query was answered.
public struct QueryReport: Hashable, Sendable {
  /// Steps from the first to the last, for people.
  public var steps: [String] = []
  /// The predicate in canonical form.
  public var predicate = ""
  /// The field of the index, as in the schema language; empty: a scan of the zones.
  public var indexField = ""
  /// The index also gave the order asked for.
  public var isSortedByIndex = false
  /// Index entries looked at.
  public var entriesVisited = 0
  /// Records read.
  public var recordsVisited = 0
  /// Records that matched and are in the page.
  public var recordsMatched = 0
  /// What to declare to make it faster, for people; empty: nothing.
  public var advice = ""
  /// What no record can match as the schema is, one sentence each; only on the first page.
  public var warnings: [String] = []
}
