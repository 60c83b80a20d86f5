import Foundation

#if canImport(CloudKit)
import CloudKit
#else
import TidingsKit
#endif

/// People with birthdays and secrets, in a file, kept the same on all devices by a sync engine that is
/// made twice over: when it is first needed, and by a task that the start of the program leaves behind.
final actor AddressBook: CKSyncEngineDelegate {
  struct Person: Codable, Equatable {
    var id = UUID().uuidString
    var name = ""
    var birthday = Date(timeIntervalSince1970: 0)
    var phone = ""
    var edited = Date()
    var lastKnownRecord: Data?

    var recordID: CKRecord.ID { CKRecord.ID(recordName: id, zoneID: AddressBook.zoneID) }

    static func == (a: Person, b: Person) -> Bool {
      (a.id, a.name, a.birthday, a.phone, a.edited) == (b.id, b.name, b.birthday, b.phone, b.edited)
    }
  }

  struct Disk: Codable {
    var people: [String: Person] = [:]
    var state: CKSyncEngine.State.Serialization?
  }

  static let zoneID = CKRecordZone.ID(zoneName: "People")

  private(set) var disk = Disk()
  private(set) var events: [String] = []
  private let container: CKContainer
  private let automaticallySync: Bool
  private var engine: CKSyncEngine?

  init(_ container: CKContainer, automaticallySync: Bool = false, makesTwo: Bool = true) {
    self.container = container
    self.automaticallySync = automaticallySync
    if makesTwo { Task { await self.makeEngine() } }
  }

  var people: [String: Person] { disk.people }

  var syncEngine: CKSyncEngine {
    if engine == nil { makeEngine() }
    return engine!
  }

  func makeEngine() {
    var configuration = CKSyncEngine.Configuration(
      database: container.privateCloudDatabase,
      stateSerialization: disk.state,
      delegate: self
    )
    configuration.automaticallySync = automaticallySync
    engine = CKSyncEngine(configuration)
  }

  func save(_ people: [Person]) {
    for person in people {
      var person = person
      person.lastKnownRecord = disk.people[person.id]?.lastKnownRecord
      disk.people[person.id] = person
    }
    syncEngine.state.add(pendingRecordZoneChanges: people.map { .saveRecord($0.recordID) })
  }

  func delete(_ people: [Person]) {
    for person in people { disk.people[person.id] = nil }
    syncEngine.state.add(pendingRecordZoneChanges: people.map { .deleteRecord($0.recordID) })
  }

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    events.append("\(event)")
    switch event {
    case .stateUpdate(let event): disk.state = event.stateSerialization
    case .accountChange(let event): accountChanged(event)
    case .fetchedDatabaseChanges(let event):
      for deletion in event.deletions where deletion.zoneID == Self.zoneID { disk.people = [:] }
    case .fetchedRecordZoneChanges(let event):
      for modification in event.modifications { merge(modification.record) }
      for deletion in event.deletions { disk.people[deletion.recordID.recordName] = nil }
    case .sentRecordZoneChanges(let event): sent(event)
    default: break
    }
  }

  private func accountChanged(_ event: CKSyncEngine.Event.AccountChange) {
    switch event.changeType {
    case .signIn:
      syncEngine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: Self.zoneID))])
      syncEngine.state.add(
        pendingRecordZoneChanges: disk.people.values.map { .saveRecord($0.recordID) }
      )
    case .switchAccounts, .signOut: disk.people = [:]
    @unknown default: break
    }
  }

  private func sent(_ event: CKSyncEngine.Event.SentRecordZoneChanges) {
    for record in event.savedRecords { keep(record) }
    for failure in event.failedRecordSaves {
      let id = failure.record.recordID
      switch failure.error.code {
      case .serverRecordChanged:
        if let record = failure.error.serverRecord { merge(record) }
        syncEngine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
      case .zoneNotFound:
        disk.people[id.recordName]?.lastKnownRecord = nil
        syncEngine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: id.zoneID))])
        syncEngine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
      default: break
      }
    }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext,
    syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let scope = context.options.scope
    let changes = syncEngine.state.pendingRecordZoneChanges.filter { scope.contains($0) }
    let people = disk.people
    return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { id in
      guard let person = people[id.recordName] else {
        syncEngine.state.remove(pendingRecordZoneChanges: [.saveRecord(id)])
        return nil
      }
      return Self.record(person)
    }
  }

  private static func record(_ person: Person) -> CKRecord {
    let known = person.lastKnownRecord.flatMap { try? NSKeyedUnarchiver(forReadingFrom: $0) }
    let record =
      known.flatMap { CKRecord(coder: $0) }
      ?? CKRecord(recordType: "Person", recordID: person.recordID)
    record["birthday"] = person.birthday
    record["edited"] = person.edited
    record.encryptedValues["name"] = person.name
    record.encryptedValues["phone"] = person.phone
    return record
  }

  /// The later edit wins.
  private func merge(_ record: CKRecord) {
    let id = record.recordID.recordName
    let edited = record["edited"] as? Date ?? .distantPast
    if let mine = disk.people[id], mine.edited > edited {
      keep(record)
      return
    }
    disk.people[id] = Person(
      id: id,
      name: record.encryptedValues["name"] as? String ?? "",
      birthday: record["birthday"] as? Date ?? .distantPast,
      phone: record.encryptedValues["phone"] as? String ?? "",
      edited: edited
    )
    keep(record)
  }

  private func keep(_ record: CKRecord) {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    record.encodeSystemFields(with: archiver)
    archiver.finishEncoding()
    disk.people[record.recordID.recordName]?.lastKnownRecord = archiver.encodedData
  }
}
