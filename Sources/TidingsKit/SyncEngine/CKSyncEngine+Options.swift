extension CKSyncEngine {
  /// Why the engine syncs.
  public enum SyncReason: Hashable, Sendable, CustomStringConvertible {
    /// The engine found that there is something to do.
    case scheduled
    /// `fetchChanges` or `sendChanges` was called.
    case manual

    /// Its name.
    public var description: String { self == .scheduled ? "scheduled" : "manual" }
  }

  /// What to fetch, and in which order.
  public struct FetchChangesOptions: Sendable, CustomStringConvertible {
    /// Which zones' records to fetch.
    public enum Scope: Equatable, Sendable, CustomStringConvertible {
      /// All zones.
      case all
      /// All but these.
      case allExcluding([CKRecordZone.ID])
      /// Only these.
      case zoneIDs([CKRecordZone.ID])

      /// Whether a zone's records are to be fetched.
      public func contains(_ zoneID: CKRecordZone.ID) -> Bool {
        switch self {
        case .all: true
        case .allExcluding(let ids): !ids.contains(zoneID)
        case .zoneIDs(let ids): ids.contains(zoneID)
        }
      }

      /// The zones in words.
      public var description: String {
        switch self {
        case .all: "all"
        case .allExcluding(let ids): "allExcluding(\(ids))"
        case .zoneIDs(let ids): "zoneIDs(\(ids))"
        }
      }
    }

    /// Which zones' records to fetch.
    public var scope: Scope
    /// The group of the calls; its configuration says how long one may take.
    public var operationGroup: CKOperationGroup
    /// Zones to be fetched before others, first first.
    public var prioritizedZoneIDs: [CKRecordZone.ID] = []

    /// Options; by default all zones.
    public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
      self.scope = scope
      self.operationGroup = operationGroup ?? CKOperationGroup()
    }

    /// The scope and the first zones.
    public var description: String {
      "scope: \(scope)" + (prioritizedZoneIDs.isEmpty ? "" : ", first: \(prioritizedZoneIDs)")
    }
  }

  /// What to send.
  public struct SendChangesOptions: Sendable, CustomStringConvertible {
    /// Which changes to send.
    public enum Scope: Equatable, Sendable, CustomStringConvertible {
      /// All.
      case all
      /// All but those in these zones.
      case allExcluding([CKRecordZone.ID])
      /// Only those in these zones.
      case zoneIDs([CKRecordZone.ID])
      /// Only those of these records.
      case recordIDs([CKRecord.ID])

      /// Whether changes of a record are to be sent.
      public func contains(_ recordID: CKRecord.ID) -> Bool {
        switch self {
        case .all: true
        case .allExcluding(let ids): !ids.contains(recordID.zoneID)
        case .zoneIDs(let ids): ids.contains(recordID.zoneID)
        case .recordIDs(let ids): ids.contains(recordID)
        }
      }

      /// Whether a change is to be sent.
      public func contains(_ pendingChange: PendingRecordZoneChange) -> Bool {
        contains(pendingChange.item)
      }

      /// Whether a change of a zone is to be sent: also when only some of its records are.
      func contains(_ change: PendingDatabaseChange) -> Bool {
        switch self {
        case .all: true
        case .allExcluding(let ids): !ids.contains(change.item)
        case .zoneIDs(let ids): ids.contains(change.item)
        case .recordIDs(let ids): ids.contains { $0.zoneID == change.item }
        }
      }

      /// The changes in words.
      public var description: String {
        switch self {
        case .all: "all"
        case .allExcluding(let ids): "allExcluding(\(ids))"
        case .zoneIDs(let ids): "zoneIDs(\(ids))"
        case .recordIDs(let ids): "recordIDs(\(ids))"
        }
      }
    }

    /// Which changes to send.
    public var scope: Scope
    /// The group of the calls; its configuration says how long one may take.
    public var operationGroup: CKOperationGroup

    /// Options; by default all changes.
    public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
      self.scope = scope
      self.operationGroup = operationGroup ?? CKOperationGroup()
    }

    /// The scope.
    public var description: String { "scope: \(scope)" }
  }

  /// Why and what the engine fetches.
  public struct FetchChangesContext: Sendable, CustomStringConvertible {
    /// Why.
    public let reason: SyncReason
    /// What was asked for.
    public let options: FetchChangesOptions

    /// Both in words.
    public var description: String { "reason: \(reason), \(options)" }
  }

  /// Why and what the engine sends.
  public struct SendChangesContext: Sendable, CustomStringConvertible {
    /// Why.
    public let reason: SyncReason
    /// What was asked for.
    public let options: SendChangesOptions

    /// Both in words.
    public var description: String { "reason: \(reason), \(options)" }
  }
}
