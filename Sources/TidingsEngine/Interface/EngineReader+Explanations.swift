public import TidingsModel
internal import TidingsSQL

extension EngineReader {
  /// Explains what a change would cause, for the subscriptions of the caller in a database.
  ///
  /// - Parameters:
  ///   - page: What is explained so far; call this again with it until all is.
  ///   - change: The change.
  ///   - changeBytes: What was sent of it.
  ///   - ids: Only these subscriptions; none: all.
  ///   - caller: Whose subscriptions; who makes the change.
  ///   - database: The database.
  ///   - time: When the change would be made.
  ///   - isOver: Asked after each subscription, and within expensive ones: whether the rest is for another slice, maybe on
  ///     another reader.
  ///   - effort: What begins; the rest is for another slice.
  /// - Returns: Whether all is explained.
  /// - Throws: `ItemError` `unknownItem` for an unknown subscription or record, `zoneNotFound`,
  ///   `invalidArguments` for what is no record, `limitExceeded` when the answer is too long;
  ///   `SQLError`.
  public func advance(
    _ page: inout ExplanationPage,
    _ change: ExplainedChange,
    of changeBytes: Int,
    to ids: [String],
    for caller: Caller,
    in database: DatabaseID,
    at time: Timestamp,
    until isOver: () -> Bool,
    effort: QueryEffort
  ) throws -> Bool {
    try explainer().advance(
      &page,
      change,
      of: changeBytes,
      to: ids,
      for: caller,
      reading: publicReading(of: caller.user, in: database),
      in: database,
      at: time,
      until: isOver,
      effort: effort
    ) { try step() }
  }

  /// Explains a change as `advance` does, at once.
  public func explain(
    _ change: ExplainedChange,
    to ids: [String],
    for caller: Caller,
    in database: DatabaseID,
    at time: Timestamp
  ) throws -> [SubscriptionExplanation] {
    var page = ExplanationPage()
    let isDone = try advance(
      &page,
      change,
      of: 0,
      to: ids,
      for: caller,
      in: database,
      at: time,
      until: { false },
      effort: .any
    )
    precondition(isDone, "an explanation without an end to its slice comes to its end")
    return page.explanations
  }
}
