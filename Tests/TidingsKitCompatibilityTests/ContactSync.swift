import Foundation

#if canImport(CloudKit)
import CloudKit
#else
import TidingsKit
#endif

/// Contacts under a sync engine, as an application of today has them.
final actor ContactSync: CKSyncEngineDelegate {
  struct Contact: Codable, Equatable {
    var name: String
    var lastKnownRecord: Data?
  }

  static let zoneName = "Contacts"
  static let zoneID = CKRecordZone.ID(zoneName: zoneName)

  private(set) var contacts: [String: Contact] = [:]
  private var stateSerialization: CKSyncEngine.State.Serialization?
  private var savedState: Data?
  private var _syncEngine: CKSyncEngine?
  private let container: CKContainer
  private let automaticallySync: Bool

  init(container: CKContainer, automaticallySync: Bool = true) {
    self.container = container
    self.automaticallySync = automaticallySync
  }

  var syncEngine: CKSyncEngine {
    if _syncEngine == nil { initializeSyncEngine() }
    return _syncEngine!
  }

  func initializeSyncEngine() {
    var configuration = CKSyncEngine.Configuration(
      database: container.privateCloudDatabase,
      stateSerialization: stateSerialization,
      delegate: self
    )
    configuration.automaticallySync = automaticallySync
    _syncEngine = CKSyncEngine(configuration)
  }

  func save(_ name: String, id: String) {
    var contact = contacts[id] ?? Contact(name: name)
    contact.name = name
    contacts[id] = contact
    let recordID = CKRecord.ID(recordName: id, zoneID: Self.zoneID)
    syncEngine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
  }

  func delete(_ id: String) {
    contacts[id] = nil
    let recordID = CKRecord.ID(recordName: id, zoneID: Self.zoneID)
    syncEngine.state.add(pendingRecordZoneChanges: [.deleteRecord(recordID)])
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    switch event {
    case .stateUpdate(let event):
      stateSerialization = event.stateSerialization
      savedState = try? JSONEncoder().encode(event.stateSerialization)
    case .accountChange(let event):
      switch event.changeType {
      case .signIn:
        syncEngine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
      case .switchAccounts, .signOut: contacts = [:]
      @unknown default: break
      }
    case .fetchedDatabaseChanges(let event):
      for deletion in event.deletions where deletion.zoneID == Self.zoneID { contacts = [:] }
    case .fetchedRecordZoneChanges(let event):
      for modification in event.modifications { merge(modification.record) }
      for deletion in event.deletions where deletion.recordType == "Contact" {
        contacts[deletion.recordID.recordName] = nil
      }
    case .sentRecordZoneChanges(let event):
      for record in event.savedRecords { keep(record) }
      for failed in event.failedRecordSaves {
        let recordID = failed.record.recordID
        switch failed.error.code {
        case .serverRecordChanged:
          guard let server = failed.error.serverRecord else { continue }
          keep(server)
          syncEngine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
        case .zoneNotFound:
          let zone = CKRecordZone(zoneID: recordID.zoneID)
          contacts[recordID.recordName]?.lastKnownRecord = nil
          syncEngine.state.add(pendingDatabaseChanges: [.saveZone(zone)])
          syncEngine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
        case .unknownItem:
          contacts[recordID.recordName]?.lastKnownRecord = nil
          syncEngine.state.add(pendingRecordZoneChanges: [.saveRecord(recordID)])
        case .networkFailure, .networkUnavailable, .zoneBusy, .serviceUnavailable,
          .notAuthenticated, .operationCancelled:
          break
        default: print("cannot be saved", failed.error)
        }
      }
    case .sentDatabaseChanges, .willFetchChanges, .willFetchRecordZoneChanges,
      .didFetchRecordZoneChanges, .didFetchChanges, .willSendChanges, .didSendChanges:
      break
    @unknown default: break
    }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext,
    syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let scope = context.options.scope
    let changes = syncEngine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
    let contacts = self.contacts
    return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { recordID in
      guard let contact = contacts[recordID.recordName] else {
        syncEngine.state.remove(pendingRecordZoneChanges: [.saveRecord(recordID)])
        return nil
      }
      let record =
        contact.lastKnownRecord.flatMap(Self.decode)
        ?? CKRecord(recordType: "Contact", recordID: recordID)
      record["name"] = contact.name
      return record
    }
  }

  func sync() async throws {
    try await syncEngine.fetchChanges()
    do {
      try await syncEngine.sendChanges()
    } catch {
      // What failed and may be tried again is pending again.
      try await syncEngine.sendChanges()
    }
  }

  private func merge(_ record: CKRecord) {
    contacts[record.recordID.recordName] = Contact(
      name: record["name"] as? String ?? "",
      lastKnownRecord: Self.encode(record)
    )
  }

  private func keep(_ record: CKRecord) {
    contacts[record.recordID.recordName]?.lastKnownRecord = Self.encode(record)
  }

  private static func encode(_ record: CKRecord) -> Data {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    record.encodeSystemFields(with: archiver)
    return archiver.encodedData
  }

  private static func decode(_ data: Data) -> CKRecord? {
    guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: data) else { return nil }
    unarchiver.requiresSecureCoding = true
    return CKRecord(coder: unarchiver)
  }
}
