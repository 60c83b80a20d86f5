package import TidingsSQL

extension Migration {
  /// All steps of the store's schema.
  ///
  /// What has landed is never changed: a new need is a new step.
  package static let store: [Migration] = [
    firstLight, recordDatabase, notifications, accounts, shares, usage, readers, zoneRemovals,
    clock, storage, nanoseconds, operations, erasures, directory, shareAccess, locationIndexes,
    answerKeys, databaseContent, webTokens,
  ]
}
