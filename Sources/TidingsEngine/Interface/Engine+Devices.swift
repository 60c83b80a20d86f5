public import TidingsModel

extension Engine {
  /// The devices of a user that have written something, sorted by name, with the day of their last write.
  ///
  /// - Parameters:
  ///   - user: Whose.
  ///   - name: Only those after this one.
  ///   - limit: Most devices.
  /// - Returns: They.
  /// - Throws: `SQLError`.
  public func deviceNames(
    of user: String,
    after name: String,
    limit: Int
  ) throws -> [(name: String, lastWrite: Timestamp)] {
    try quotas.devices.names(of: user, after: name, limit: limit)
  }
}
