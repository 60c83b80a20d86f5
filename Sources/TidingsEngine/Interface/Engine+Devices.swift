public import TidingsModel

extension Engine {
  /// The devices of a user that have written something, sorted by name, with the day of their last write.
  ///
  /// - Parameters:
  ///   - user: Whose.
  ///   - name: Only those after this one.
  ///   - limit: Most devices.
  /// - Returns: They.
  /// - Throws: `ItemError` `invalidArguments`; `SQLError`.
  public func deviceNames(
    of user: String,
    after name: String,
    limit: Int
  ) throws -> [(name: String, lastWrite: Timestamp)] {
    guard Identifier.problem(inUserName: user) == nil else { return [] }
    try Identifier.check(pageAfter: name)
    return try quotas.devices.names(of: user, after: name, limit: limit)
  }
}
