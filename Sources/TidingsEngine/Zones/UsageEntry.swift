/// What is held against a quota: all that is stored for a user, in all containers; or for the public
/// database of one container.
///
/// Unchecked, as in `UsageEntry`: plain values.
final class UsageAccount {
  @exclusivity(unchecked) fileprivate(set) var usage: Usage

  init(_ usage: Usage) { self.usage = usage }
}

/// What is stored for an owner in a container, as of the open transaction.
final class UsageEntry {
  let owner: String
  let container: String
  let account: UsageAccount
  @exclusivity(unchecked) private(set) var usage: Usage
  /// The store has other numbers.
  @exclusivity(unchecked) private(set) var isDirty = false

  init(owner: String, container: String, _ usage: Usage, _ account: UsageAccount) {
    self.owner = owner
    self.container = container
    self.usage = usage
    self.account = account
  }

  /// Adds to the entry and its account.
  func add(_ change: Usage) {
    // What an earlier version did not count may go too.
    let after = (usage + change).notNegative
    account.usage += Usage(
      records: after.records - usage.records,
      bytes: after.bytes - usage.bytes
    )
    usage = after
    isDirty = true
  }

  /// The store has the same numbers.
  func wasWritten() { isDirty = false }
}
