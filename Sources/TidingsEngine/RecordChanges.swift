public import TidingsModel

/// Records to save and to delete, in one call.
public struct RecordChanges: Sendable {
  /// What a save compares.
  ///
  /// The numbers are the contract's.
  public enum SavePolicy: Int32, Sendable {
    /// The change tag sent must be the stored one; a record without a tag must be new.
    case ifServerRecordUnchanged = 1
    /// Nothing is compared; the client sent the fields that it changed.
    case changedKeys = 2
    /// Nothing is compared; the client sent all fields that it has.
    case allKeys = 3
  }

  /// The database.
  public var database: DatabaseID
  /// Records to save; an empty name is replaced by a random one.
  ///
  /// Fields without a value are removed.
  public var saves: [Record]
  /// Records to delete.
  public var deletions: [RecordID]
  /// For all saves.
  public var policy: SavePolicy
  /// All of a zone's items succeed, or none does.
  public var isAtomic: Bool

  /// Changes.
  public init(
    database: DatabaseID,
    saves: [Record],
    deletions: [RecordID],
    policy: SavePolicy = .ifServerRecordUnchanged,
    isAtomic: Bool = true
  ) {
    self.database = database
    self.saves = saves
    self.deletions = deletions
    self.policy = policy
    self.isAtomic = isAtomic
  }
}

/// What became of one record.
public enum RecordOutcome: Sendable {
  /// It is saved; the record as stored.
  case saved(Record)
  /// It is deleted, or did not exist.
  case deleted(RecordID)
  /// It failed. With `serverRecordChanged`: the encoded record as stored.
  case failed(RecordID, ItemError, serverRecord: [UInt8]?)
}
