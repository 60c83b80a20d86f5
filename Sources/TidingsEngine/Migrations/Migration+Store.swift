package import TidingsSQL

extension Migration {
  /// All steps of the store's schema.
  ///
  /// What has landed is never changed: a new need is a new step.
  ///
  /// Nodes of the version before go on following while a node of this one leads, and signs of life are left while steps run. So no step
  /// changes `migrations`, `leader` and `commits`, and `store` and `account_keys` only get columns, with values by default.
  package static let store: [Migration] =
    [
      firstLight, recordDatabase, notifications, accounts, shares, usage, readers, zoneRemovals,
      clock, storage, nanoseconds, operations, erasures, directory, shareAccess, locationIndexes,
      answerKeys, databaseContent, webTokens, deliveries, boundedLookups,
    ] + next

  /// The data format that this program reads and writes: the number of its newest step.
  package static let format: Int64 = store.last?.number ?? 0
}
