public import TidingsModel

/// The result of a transaction: everything to report once it is durable.
public struct CommittedTransaction {
  /// Calls wrote, or may have written; not only the engine's own work.
  let hasWrites: Bool
  /// What fired, in order: to be published.
  public internal(set) var events: [StoredEvent] = []
  /// The number of the newest event that is stored.
  public internal(set) var lastEvent: Int64 = 0
  /// What users marked read.
  public internal(set) var readMarks: [StoredReadMarks] = []
  /// Users whose channels changed without their doing: their subscriptions have fired for the only time, if they
  /// are few, their channels got new topics, they may read more or less than before, or a session of theirs has ended.
  public internal(set) var changedSubscribers: Set<ChangedSubscriber> = []
  /// Topics on which nothing is to be published any more.
  public internal(set) var retiredTopics: [[UInt8]] = []
  /// Who may not call any more.
  public internal(set) var endedAccess = EndedAccess()
  /// Quotas may be others than before.
  public internal(set) var hasChangedQuotas = false
  /// Zones that were changed, created or deleted.
  public internal(set) var zones: [ChangedZone] = []
  /// Shares of which something changed.
  public internal(set) var shares: Set<Int64> = []
  /// Shared databases of users who accepted or lost a share.
  public internal(set) var sharedDatabases: Set<DatabaseID> = []
  /// Receipts of users of whom nothing is stored any more.
  public internal(set) var finishedErasures: [UserErasure] = []
  /// Checksums of assets that no database has any more: their files can go.
  public internal(set) var collectedAssets: [[UInt8]] = []

  init(hasWrites: Bool) { self.hasWrites = hasWrites }
}
