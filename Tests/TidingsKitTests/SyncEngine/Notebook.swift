import Foundation
import Synchronization
import TestSupport
import TidingsKit

/// A program with notes that syncs them, as a program on one device would.
final class Notebook: CKSyncEngineDelegate {
  struct Note: Hashable, Codable {
    var text: String
    /// The later edit wins.
    var version: Int
    /// What is known of the record on the server.
    var systemFields: Data?

    func isSame(_ other: Note) -> Bool { (text, version) == (other.text, other.version) }
  }

  /// All that outlives the program; written at once when the state is reported.
  struct Disk: Codable {
    var notes: [String: Note] = [:]
    var state: CKSyncEngine.State.Serialization?
  }

  struct Seen {
    var disk = Disk()
    var saved = Data()
    var events: [String] = []
    var errors: [CKError.Code] = []
    var notes: [String: Note] {
      get { disk.notes }
      set { disk.notes = newValue }
    }

    mutating func write(_ engine: CKSyncEngine) {
      disk.state = engine.state.serialization
      saved = (try? JSONEncoder().encode(disk)) ?? Data()
    }
  }

  static let zoneID = CKRecordZone.ID(zoneName: "Notes")

  let seen = Observed(Seen())
  /// Called with each event, before it is handled.
  let hook = Mutex<(@Sendable (CKSyncEngine.Event, CKSyncEngine) async -> Void)?>(nil)

  /// What would be found after a restart.
  var persisted: Data { seen.value.saved }
  var notes: [String: String] { seen.value.notes.mapValues(\.text) }
  var events: [String] { seen.value.events }

  /// A program that starts with what it wrote last; nothing: for the first time.
  init(_ persisted: Data = Data()) {
    let disk = try? JSONDecoder().decode(Disk.self, from: persisted)
    seen.update {
      $0.disk = disk ?? Disk()
      $0.saved = persisted
    }
  }

  func engine(_ database: CKDatabase, automatically: Bool = false) -> CKSyncEngine {
    var configuration = CKSyncEngine.Configuration(
      database: database,
      stateSerialization: seen.value.disk.state,
      delegate: self
    )
    configuration.automaticallySync = automatically
    return CKSyncEngine(configuration)
  }

  static func id(_ name: String) -> CKRecord.ID { .init(recordName: name, zoneID: zoneID) }

  // MARK: The user

  func write(_ text: String, to name: String, version: Int, _ engine: CKSyncEngine) {
    edit(engine) { seen in
      let known = seen.notes[name]?.systemFields
      seen.notes[name] = Note(text: text, version: version, systemFields: known)
      engine.state.add(pendingRecordZoneChanges: [.saveRecord(Self.id(name))])
    }
  }

  func erase(_ name: String, _ engine: CKSyncEngine) {
    edit(engine) { seen in
      seen.notes[name] = nil
      engine.state.add(pendingRecordZoneChanges: [.deleteRecord(Self.id(name))])
    }
  }

  /// Deletes all notes everywhere.
  func reset(_ engine: CKSyncEngine) {
    edit(engine) { seen in
      let names = Array(seen.notes.keys)
      seen.notes = [:]
      engine.state.remove(pendingRecordZoneChanges: names.map { .saveRecord(Self.id($0)) })
      engine.state.add(pendingDatabaseChanges: [.deleteZone(Self.zoneID)])
    }
  }

  /// What the user does and that it is to be sent are written in one transaction.
  private func edit(_ engine: CKSyncEngine, _ body: @Sendable (inout Seen) -> Void) {
    seen.update { seen in
      body(&seen)
      seen.write(engine)
    }
  }

  // MARK: The engine

  func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
    if let hook = hook.withLock({ $0 }) { await hook(event, syncEngine) }
    switch event {
    case .stateUpdate: seen.update { $0.write(syncEngine) }
    case .accountChange(let change):
      if case .switchAccounts = change.changeType { seen.update { $0.notes = [:] } }
      if case .signOut = change.changeType { seen.update { $0.notes = [:] } }
    case .fetchedDatabaseChanges(let changes):
      if changes.deletions.contains(where: { $0.zoneID == Self.zoneID }) { dropAll(syncEngine) }
    case .fetchedRecordZoneChanges(let changes): apply(changes, syncEngine)
    case .sentRecordZoneChanges(let sent): mend(sent, syncEngine)
    default: break
    }
    seen.update { $0.events.append("\(event)") }
  }

  func nextRecordZoneChangeBatch(
    _ context: CKSyncEngine.SendChangesContext,
    syncEngine: CKSyncEngine
  ) async -> CKSyncEngine.RecordZoneChangeBatch? {
    let changes = syncEngine.state.pendingRecordZoneChanges.filter(context.options.scope.contains)
    let notes = seen.value.notes
    return await CKSyncEngine.RecordZoneChangeBatch(pendingChanges: changes) { id in
      guard let note = notes[id.recordName] else {
        syncEngine.state.remove(pendingRecordZoneChanges: [.saveRecord(id)])
        return nil
      }
      let record = Self.record(note) ?? CKRecord(recordType: "Notes", recordID: id)
      record["text"] = note.text
      record["version"] = note.version
      return record
    }
  }

  /// What was edited here and not sent yet stays.
  private func dropAll(_ engine: CKSyncEngine) {
    let pending = Set(engine.state.pendingRecordZoneChanges)
    seen.update { seen in
      seen.notes = seen.notes.filter { pending.contains(.saveRecord(Self.id($0.key))) }
      for name in seen.notes.keys { seen.notes[name]?.systemFields = nil }
    }
  }

  private func apply(
    _ changes: CKSyncEngine.Event.FetchedRecordZoneChanges,
    _ engine: CKSyncEngine
  ) {
    let pending = Set(engine.state.pendingRecordZoneChanges)
    for change in changes.modifications {
      // It goes away in a moment.
      if pending.contains(.deleteRecord(change.record.recordID)) { continue }
      merge(change.record, isEdited: pending.contains(.saveRecord(change.record.recordID)))
    }
    for deletion in changes.deletions {
      seen.update { $0.notes[deletion.recordID.recordName] = nil }
      engine.state.remove(pendingRecordZoneChanges: [.saveRecord(deletion.recordID)])
    }
  }

  private func mend(_ sent: CKSyncEngine.Event.SentRecordZoneChanges, _ engine: CKSyncEngine) {
    for record in sent.savedRecords { remember(record) }
    for failure in sent.failedRecordSaves {
      let id = failure.record.recordID
      seen.update { $0.errors.append(failure.error.code) }
      switch failure.error.code {
      case .serverRecordChanged:
        if let record = failure.error.serverRecord { merge(record, isEdited: true) }
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
      case .zoneNotFound, .userDeletedZone:
        forget(id)
        engine.state.add(pendingDatabaseChanges: [.saveZone(CKRecordZone(zoneID: id.zoneID))])
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
      case .unknownItem:
        forget(id)
        engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
      default: break
      }
    }
  }

  /// Of two edits the later one wins; what was not edited here is as it is there.
  private func merge(_ record: CKRecord, isEdited: Bool) {
    let theirs = Note(
      text: record["text"] as? String ?? "",
      version: record["version"] as? Int ?? 0,
      systemFields: Self.archive(record)
    )
    seen.update { seen in
      let name = record.recordID.recordName
      guard var mine = seen.notes[name] else {
        seen.notes[name] = theirs
        return
      }
      let isMine = isEdited && (mine.version, mine.text) > (theirs.version, theirs.text)
      mine.systemFields = theirs.systemFields
      seen.notes[name] = isMine ? mine : theirs
    }
  }

  private func remember(_ record: CKRecord) {
    let fields = Self.archive(record)
    seen.update { $0.notes[record.recordID.recordName]?.systemFields = fields }
  }

  private func forget(_ id: CKRecord.ID) {
    seen.update { $0.notes[id.recordName]?.systemFields = nil }
  }

  private static func archive(_ record: CKRecord) -> Data {
    let coder = NSKeyedArchiver(requiringSecureCoding: true)
    record.encodeSystemFields(with: coder)
    coder.finishEncoding()
    return coder.encodedData
  }

  private static func record(_ note: Note) -> CKRecord? {
    note.systemFields.flatMap { try? NSKeyedUnarchiver(forReadingFrom: $0) }
      .flatMap { CKRecord(coder: $0) }
  }
}
