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
    /// The zones that the last slice found.
    var zones: QueryZones?
  }

  let request: Request
  let limit: Int
  /// Types that only others' private saves need are not there for the caller.
  let hidesTypes: Bool
  /// `nil`: no slice was worked on.
  var started: Started?
  var progress = QueryProgress()
  var advice = ""
  /// What the query asks for that the schema does not have.
  var mismatches: SchemaMismatches?

  /// The first page of a query.
  ///
  /// - Parameters:
  ///   - query: Which records, in which order.
  ///   - limit: Most records; 0 and what is more means `Limits.pageItemsMax`.
  ///   - hidesTypes: Types that only others' private saves need are not there for the caller, unless
  ///     they are a developer.
  public init(of query: RecordQuery, limit: Int, hidesTypes: Bool = false) {
    (request, self.limit, self.hidesTypes) = (.query(query), limit, hidesTypes)
  }

  /// The next page of a query.
  ///
  /// - Parameters:
  ///   - cursor: What the page before returned.
  ///   - limit: Most records; 0 and what is more means `Limits.pageItemsMax`.
  public init(after cursor: [UInt8], limit: Int) {
    (request, self.limit, hidesTypes) = (.cursor(cursor), limit, false)
  }
}
