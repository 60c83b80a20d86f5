public import TidingsModel
internal import TidingsSQL

extension EngineReader {
  /// Explains what a change would cause, for the subscriptions of the caller in a database.
  ///
  /// - Parameters:
  ///   - change: The change.
  ///   - ids: Only these subscriptions; none: all.
  ///   - caller: Whose subscriptions; who makes the change.
  ///   - database: The database.
  ///   - time: When the change would be made.
  /// - Returns: An explanation for each subscription, sorted by id.
  /// - Throws: `ItemError` `unknownItem` for an unknown subscription or record, `zoneNotFound`,
  ///   `invalidArguments` for what is no record, `limitExceeded` when the answer is too long;
  ///   `SQLError`.
  public func explain(
    _ change: ExplainedChange,
    to ids: [String],
    for caller: Caller,
    in database: DatabaseID,
    at time: Timestamp
  ) throws -> [SubscriptionExplanation] {
    try explainer().explain(
      change,
      to: ids,
      for: caller,
      reading: publicReading(of: caller.user, in: database),
      in: database,
      at: time
    ) { try step() }
  }
}
