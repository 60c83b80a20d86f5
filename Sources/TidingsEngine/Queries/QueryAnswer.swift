/// The answer to a page of a query, besides the records.
public struct QueryAnswer: Hashable, Sendable {
  /// For the next page; empty: this was the last.
  public var cursor: [UInt8] = []
  /// How the page was answered.
  public var report = QueryReport()
}
