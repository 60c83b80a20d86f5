internal import TidingsModel

extension Engine {
  /// Changes for how long notifications and deletions are kept, from now on and after restarts.
  ///
  /// - Returns: The names of what was set this way.
  /// - Throws: `ItemError` `invalidArguments` for a number outside its range; `SQLError`.
  public func changeRetention(_ change: RetentionChange) throws -> [String] {
    try retentionSettings.change(change)
    room.wakeUp.raise()
    return retentionSettings.setNames
  }
}
