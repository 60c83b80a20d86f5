internal import TidingsModel

extension EventLog {
  /// The call is over: what it changed of shares, for those with whom they are shared.
  func fireShares(_ changes: SharedChanges) throws {
    guard !changes.isEmpty else { return }
  }
}
