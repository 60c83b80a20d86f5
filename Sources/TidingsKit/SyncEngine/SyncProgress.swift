/// How far an engine is, and what it is to send: all that is kept over restarts, and a little more.
struct SyncProgress: Sendable {
  /// The record name of the user whose changes these are; `nil`: there was none yet.
  var user: String?
  /// How far the database's feed was read and handled; empty: not at all.
  var databaseToken: [UInt8] = []
  /// How far the feeds of zones were read and handled.
  var zoneTokens: [CKRecordZone.ID: [UInt8]] = [:]
  /// Zones with changes that were not fetched yet, in the order in which they were reported.
  private(set) var unfetchedZones: [CKRecordZone.ID] = []
  var records = PendingChanges<CKSyncEngine.PendingRecordZoneChange>()
  var zones = PendingChanges<CKSyncEngine.PendingDatabaseChange>()
  /// The program keeps changes itself.
  var hasUntrackedChanges = false
  /// When that was set last: grows.
  var untrackedTime: UInt64 = 0

  /// Changes that were sent, and are being reported to the program: still to be stored.
  var unconfirmedRecords: [CKSyncEngine.PendingRecordZoneChange] = []
  /// Changes that were sent, and are being reported to the program: still to be stored.
  var unconfirmedZones: [CKSyncEngine.PendingDatabaseChange] = []

  /// Changes of zones that were sent, and not answered.
  ///
  /// Not kept: after a restart they are sent with another key.
  var unansweredZones: ZonesAttempt?

  /// What is to be kept: it covers just what the program has handled.
  var kept: Self {
    var kept = self
    kept.records = records.restoring(unconfirmedRecords)
    kept.zones = zones.restoring(unconfirmedZones)
    (kept.unconfirmedRecords, kept.unconfirmedZones) = ([], [])
    return kept
  }

  /// What this engine saved (its change tag) or deleted (`nil`) and will find in the feed again.
  ///
  /// Not kept: it only spares the program its own changes.
  private var echoes: [CKRecord.ID: String?] = [:]
  /// Most echoes that are awaited.
  static let echoesMax = 10_000

  /// A zone has changes.
  mutating func noteChange(in zone: CKRecordZone.ID) {
    if !unfetchedZones.contains(zone) { unfetchedZones.append(zone) }
  }

  /// All changes of a zone up to its token are fetched.
  mutating func noteFetched(_ zone: CKRecordZone.ID) { unfetchedZones.removeAll { $0 == zone } }

  /// A zone is gone, or its changes are no longer known: it starts again.
  mutating func forget(_ zone: CKRecordZone.ID) {
    zoneTokens[zone] = nil
    echoes = echoes.filter { $0.key.zoneID != zone }
  }

  /// This engine saved or deleted a record, and reported it.
  mutating func noteSent(_ id: CKRecord.ID, tag: String?) {
    if echoes[id] != nil || echoes.count < Self.echoesMax { echoes.updateValue(tag, forKey: id) }
  }

  /// The result of a record was reported to the program elsewhere.
  mutating func forgetSent(_ id: CKRecord.ID) { echoes[id] = nil }

  /// A change was fetched.
  ///
  /// - Returns: Whether the program knows it, because it is what this engine did last to the record.
  mutating func isEcho(_ id: CKRecord.ID, tag: String?) -> Bool {
    guard let echo = echoes.removeValue(forKey: id) else { return false }
    return echo == tag
  }
}
