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
    /// The change tag sent must be the stored one, if the record exists; fields that were not sent are removed.
    case replaceIfUnchanged = 4
    /// Nothing is compared; fields that were not sent are removed.
    case replace = 5

    /// Whether change tags are compared.
    var compares: Bool { self == .ifServerRecordUnchanged || self == .replaceIfUnchanged }
    /// Whether fields that were not sent are removed.
    var replaces: Bool { self == .replaceIfUnchanged || self == .replace }
  }

  /// The database.
  public var database: DatabaseID
  /// Records to save; an empty name is replaced by a random one.
  ///
  /// Fields without a value are removed.
  public var saves: [Record]
  /// Records to delete.
  public var deletions: [RecordID]
  /// Why a save fails, whatever the store says, by its position: the record could not be read.
  public var refusals: [Int: ItemError] = [:]
  /// For all saves that have no policy of their own.
  public var policy: SavePolicy
  /// One for each save; none: `policy` for all.
  public var policies: [SavePolicy] = []
  /// The change tags that records to delete must have, one for each; none, or empty ones: nothing is compared.
  public var expectedTags: [String] = []
  /// All of a zone's items succeed, or none does; `nil`: so it is in the custom zones of private
  /// databases, and nowhere else.
  public var isAtomic: Bool?
  /// Nothing is written: only the answer is wanted.
  public var isDryRun = false
  /// The server erases a user, and the record of the user too.
  var erasesUser = false
  /// The device's own mark, kept for each zone that changes; empty: the one before stays.
  public var clientChangeToken: [UInt8] = []
  /// The size of the request of a large call, in bytes; 0: the call is not large.
  public var sentBytes = 0
  /// What was found of large values when this call was tried before.
  public var memory: EvaluationMemory?

  /// Changes.
  public init(
    database: DatabaseID,
    saves: [Record],
    deletions: [RecordID],
    policy: SavePolicy = .ifServerRecordUnchanged,
    isAtomic: Bool? = nil
  ) {
    self.database = database
    self.saves = saves
    self.deletions = deletions
    self.policy = policy
    self.isAtomic = isAtomic
  }

  /// What a save compares.
  func policy(ofSave index: Int) -> SavePolicy { policies.isEmpty ? policy : policies[index] }

  /// The tag that a record to delete must have; empty: any.
  func expectedTag(ofDeletion index: Int) -> String {
    expectedTags.isEmpty ? "" : expectedTags[index]
  }
}

/// The changes cannot be matched with subscriptions yet, and nothing was written: let the memory work, on any
/// thread, and try the same changes again with it.
public struct MatchingPending: Error {
  /// What is known so far, and what is to be found.
  public let memory: EvaluationMemory
}

/// What became of one record.
public enum RecordOutcome: Sendable {
  /// It is saved; the record as stored.
  case saved(Record)
  /// It is deleted, or did not exist.
  case deleted(RecordID)
  /// It failed.
  case failed(RecordID, ItemError, ConflictRecords)
}

/// What a client needs to resolve a conflict, encoded; each is absent when it does not exist, and when
/// the answer would grow too large.
public struct ConflictRecords: Hashable, Sendable {
  /// The record as stored.
  public var server: [UInt8]?
  /// The record as the client had read it.
  public var ancestor: [UInt8]?

  /// No conflict.
  static let none = Self()

  var byteCount: Int { (server?.count ?? 0) + (ancestor?.count ?? 0) }
}

/// A record that was deleted because it referred to a deleted one.
public struct CascadedDeletion: Hashable, Sendable {
  /// Which one.
  public var recordID: RecordID
  /// Its type.
  public var recordType: String
  /// The record whose deletion took it along.
  public var target: RecordID
}

/// What became of the records of one call.
public struct ModifiedRecords: Sendable {
  /// An outcome for each save, then for each deletion.
  public var outcomes: [RecordOutcome]
  /// The records to which deletions cascaded, targets before their sources.
  public var cascadedDeletions: [CascadedDeletion] = []
  /// Something was written: to do the call again would not be the same.
  public var changedAnything = false

  /// Whether the answer shows records because of conflicts.
  public var hasConflicts: Bool {
    outcomes.contains { outcome in
      if case .failed(_, _, let conflict) = outcome { conflict != .none } else { false }
    }
  }

  /// The same, without the records that conflicts show.
  public var withoutConflicts: ModifiedRecords {
    var modified = self
    modified.outcomes = outcomes.map { outcome in
      guard case .failed(let id, let error, _) = outcome else { return outcome }
      return .failed(id, error, .none)
    }
    return modified
  }
}
