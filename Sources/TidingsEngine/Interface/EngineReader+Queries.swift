public import TidingsModel
internal import TidingsSQL

extension EngineReader {
  /// Works on a page of a query.
  ///
  /// - Parameters:
  ///   - page: The page; call this again with it until there is an answer.
  ///   - user: Who asks: the cursor is valid for this user only.
  ///   - now: The store's steady time (`SteadyClock`).
  ///   - isOver: Asked before each row but the first, and within expensive ones: whether the rest is for another slice, maybe on
  ///     another reader. `nil`: the whole page at once.
  ///   - effort: What begins; the rest, `nil`, is for another slice.
  ///   - deliver: Takes an encoded record, valid for the call.
  /// - Returns: The cursor of the next page, and how this one was answered; `nil`: the page goes on.
  /// - Throws: `ItemError` `invalidArguments`, also for a cursor of another user, `changeTokenExpired`,
  ///   `zoneNotFound`, `invalidArguments` for what the schema of production does not have,
  ///   `permissionFailure` and
  ///   `notAuthenticated` for a type that the user may not read, `limitExceeded` when too much would have
  ///   to be sorted; `SQLError`.
  public func advance(
    _ page: inout QueryPage,
    for user: String,
    at now: SteadyTime,
    until isOver: (() -> Bool)? = nil,
    effort: QueryEffort = .any,
    _ deliver: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws -> QueryAnswer? {
    let hidesTypes = page.hidesTypes
    return try queries().advance(
      &page,
      for: user,
      schema: { try visibleSchema(of: user, in: $0, hidesTypes: hidesTypes) },
      reading: { try publicReading(of: user, in: $0) },
      at: now,
      until: isOver ?? { false },
      effort: effort,
      deliver
    )
  }

  /// Returns the first page of a query, as `advance` does, at once.
  public func records(
    matching query: RecordQuery,
    for user: String,
    limit: Int,
    at now: SteadyTime,
    _ deliver: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws -> QueryAnswer {
    var page = QueryPage(of: query, limit: limit)
    return try whole(&page, for: user, at: now, deliver)
  }

  /// Returns the next page of a query, as `advance` does, at once.
  public func records(
    after cursor: [UInt8],
    for user: String,
    limit: Int,
    at now: SteadyTime,
    _ deliver: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws -> QueryAnswer {
    var page = QueryPage(after: cursor, limit: limit)
    return try whole(&page, for: user, at: now, deliver)
  }

  private func whole(
    _ page: inout QueryPage,
    for user: String,
    at now: SteadyTime,
    _ deliver: @escaping (UnsafeRawBufferPointer) throws -> Void
  ) throws -> QueryAnswer {
    guard let answer = try advance(&page, for: user, at: now, deliver) else {
      preconditionFailure("a page without an end to its slice must continue")
    }
    return answer
  }
}
