internal import Synchronization

extension CKSyncEngine {
  /// What an engine is to send, and how far it is.
  public final class State: Sendable {
    /// The state as it is kept from one start of the program to the next.
    public struct Serialization: Codable, Sendable {
      let progress: SyncProgress

      init(_ progress: SyncProgress) { self.progress = progress }

      /// Writes the state.
      public func encode(to encoder: any Encoder) throws { try progress.encode(to: encoder) }

      /// Reads what `encode(to:)` wrote, in this or an older version.
      public init(from decoder: any Decoder) throws { progress = try SyncProgress(from: decoder) }
    }

    private let shell: SyncShell

    init(_ shell: SyncShell) { self.shell = shell }

    /// The current state to store, which the next `stateUpdate` would contain.
    ///
    /// CloudKit has no such property. With it a program writes what the user changed and that it is to be
    /// sent in one transaction: add the change, then write this. In `stateUpdate`, too, write this: what
    /// the event has may be older.
    public var serialization: Serialization { Serialization(shell.progress.kept) }

    /// Records that are to be sent, in the order in which they were added.
    ///
    /// What is being sent is listed here until it is reported as sent.
    public var pendingRecordZoneChanges: [PendingRecordZoneChange] { shell.progress.records.all }

    /// Zones that are to be sent, in the order in which they were added.
    public var pendingDatabaseChanges: [PendingDatabaseChange] { shell.progress.zones.all }

    /// Whether there is something to send that the program keeps itself.
    ///
    /// Becomes false when the delegate has no more to send.
    public var hasPendingUntrackedChanges: Bool {
      get { shell.progress.hasUntrackedChanges }
      set {
        shell.change { progress in
          progress.hasUntrackedChanges = newValue
          progress.untrackedTime += 1
        }
      }
    }

    /// Zones in which there is something to fetch, as far as is known.
    public var zoneIDsWithUnfetchedServerChanges: [CKRecordZone.ID] {
      shell.progress.unfetchedZones
    }

    /// Adds records to send: they are sent soon, if the engine syncs by itself.
    ///
    /// A later opposite change replaces an earlier one, the same change merges with it.
    public func add(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
      guard !pendingRecordZoneChanges.isEmpty else { return }
      shell.change { for change in pendingRecordZoneChanges { $0.records.add(change) } }
    }

    /// Removes records to send.
    public func remove(pendingRecordZoneChanges: [PendingRecordZoneChange]) {
      guard !pendingRecordZoneChanges.isEmpty else { return }
      shell.change { for change in pendingRecordZoneChanges { $0.records.remove(change) } }
    }

    /// Adds zones to send: they are sent soon, before records, if the engine syncs by itself.
    ///
    /// A later opposite change replaces an earlier one, the same change merges with it.
    public func add(pendingDatabaseChanges: [PendingDatabaseChange]) {
      guard !pendingDatabaseChanges.isEmpty else { return }
      shell.change { for change in pendingDatabaseChanges { $0.zones.add(change) } }
    }

    /// Removes zones to send.
    public func remove(pendingDatabaseChanges: [PendingDatabaseChange]) {
      guard !pendingDatabaseChanges.isEmpty else { return }
      shell.change { for change in pendingDatabaseChanges { $0.zones.remove(change) } }
    }
  }
}
