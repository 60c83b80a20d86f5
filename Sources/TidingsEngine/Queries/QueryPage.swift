public import TidingsModel

/// A page of a query, on which may be worked in slices: between two of them it holds no snapshot.
public struct QueryPage: Sendable {
  /// A query, or where one is continued.
  enum Request {
    case query(RecordQuery)
    case cursor([UInt8])
  }

  /// The query as it began, whichever page this is.
  struct Started {
    let cursor: QueryCursor
    /// The first record that is not in an earlier page.
    let start: QueryPosition?
  }

  let request: Request
  let limit: Int
  /// `nil`: no slice was worked on.
  var started: Started?
  var progress = QueryProgress()
  var advice = ""

  /// The first page of a query.
  ///
  /// - Parameters:
  ///   - query: Which records, in which order.
  ///   - limit: Most records; 0 and what is more means `Limits.pageItemsMax`.
  public init(of query: RecordQuery, limit: Int) {
    (request, self.limit) = (.query(query), limit)
  }

  /// The next page of a query.
  ///
  /// - Parameters:
  ///   - cursor: What the page before returned.
  ///   - limit: Most records; 0 and what is more means `Limits.pageItemsMax`.
  public init(after cursor: [UInt8], limit: Int) {
    (request, self.limit) = (.cursor(cursor), limit)
  }
}
