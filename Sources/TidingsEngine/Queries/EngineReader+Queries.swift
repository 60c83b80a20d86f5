public import TidingsModel
internal import TidingsSQL

/// The answer to a page of a query, besides the records.
public struct QueryAnswer: Hashable, Sendable {
  /// For the next page; empty: this was the last.
  public var cursor: [UInt8] = []
  /// How the page was answered.
  public var report = QueryReport()
}

extension EngineReader {
  /// Returns the first page of a query.
  ///
  /// - Parameters:
  ///   - query: Which records, in which order.
  ///   - user: Who asks: the cursor is valid for this user only.
  ///   - limit: Most records; 0 and what is more means `Limits.pageItemsMax`.
  ///   - now: The store's steady time (`SteadyClock`).
  ///   - deliver: Takes an encoded record, valid for the call.
  /// - Returns: The cursor of the next page, and how this one was answered.
  /// - Throws: `ItemError` `invalidArguments`, `zoneNotFound`, `unknownItem` for a type that
  ///   production does not have, `permissionFailure` and `notAuthenticated` for a type that the user
  ///   may not read, `limitExceeded` when too much would have to be sorted; `SQLError`.
  public func records(
    matching query: RecordQuery,
    for user: String,
    limit: Int,
    at now: SteadyTime,
    _ deliver: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> QueryAnswer {
    try queries().page(
      .query(query),
      for: user,
      reading: { try publicReading(of: user, in: $0) },
      limit: limit,
      at: now,
      deliver
    )
  }

  /// Returns the next page of a query.
  ///
  /// - Parameters:
  ///   - cursor: What the page before returned.
  ///   - user: Who asks.
  ///   - limit: Most records; 0 and what is more means `Limits.pageItemsMax`.
  ///   - now: The store's steady time (`SteadyClock`).
  ///   - deliver: Takes an encoded record, valid for the call.
  /// - Returns: The cursor of the next page, and how this one was answered.
  /// - Throws: `ItemError` `changeTokenExpired`, `invalidArguments` for a cursor of another user,
  ///   `zoneNotFound`, `permissionFailure`, `limitExceeded`; `SQLError`.
  public func records(
    after cursor: [UInt8],
    for user: String,
    limit: Int,
    at now: SteadyTime,
    _ deliver: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> QueryAnswer {
    try queries().page(
      .cursor(cursor),
      for: user,
      reading: { try publicReading(of: user, in: $0) },
      limit: limit,
      at: now,
      deliver
    )
  }
}
