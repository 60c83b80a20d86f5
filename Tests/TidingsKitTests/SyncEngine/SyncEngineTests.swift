import Foundation
import Synchronization
import TestSupport
import Testing
import TidingsClient
import TidingsProto

@testable import TidingsKit

@Suite(.endsServers) struct SyncEngineTests {
  /// A program on a device of Ada's, which syncs when it is reported to.
  struct Device {
    let notebook: Notebook
    let engine: CKSyncEngine

    init(_ kit: KitServer, _ name: String, persisted: Data = Data()) {
      notebook = Notebook(persisted)
      engine = notebook.engine(kit.container(device: name).privateCloudDatabase)
    }

    func write(_ text: String, to name: String, version: Int) {
      notebook.write(text, to: name, version: version, engine)
    }

    /// Sends until nothing is left to be sent.
    func sendAll() async throws {
      try await waitUntil("all changes to be sent", pausing: .zero) {
        let state = engine.state
        guard !state.pendingRecordZoneChanges.isEmpty || !state.pendingDatabaseChanges.isEmpty
        else { return true }
        try? await engine.sendChanges()
        return false
      }
    }
  }

  @Test(
    "what one device writes another one has, from one note to hundreds",
    arguments: [1, 10, 444]
  )
  func simple(count: Int) async throws {
    let kit = try await KitServer()
    let (a, b) = (Device(kit, "a"), Device(kit, "b"))
    a.engine.state.add(pendingDatabaseChanges: [
      .saveZone(CKRecordZone(zoneID: Notebook.zoneID))
    ])
    for number in 0..<count { a.write("\(number)", to: "note-\(number)", version: 1) }
    try await a.engine.sendChanges()
    #expect(a.engine.state.pendingRecordZoneChanges.isEmpty)
    try await b.engine.fetchChanges()
    #expect(b.notebook.notes.count == count)
    #expect(a.notebook.notes == b.notebook.notes)
  }

  @Test(
    "a batch with one bad record, or one record twice, keeps the innocent ones pending or saves them"
  )
  func oneBadRecord() async throws {
    let kit = try await KitServer()
    let database = kit.container().privateCloudDatabase
    let zone = CKRecordZone(zoneID: Notebook.zoneID)
    _ = try await database.save(zone)
    func record(_ name: String, _ date: Date = Date()) -> CKRecord {
      let id = CKRecord.ID(recordName: name, zoneID: zone.zoneID)
      let record = CKRecord(recordType: "Event", recordID: id)
      record["begins"] = date
      return record
    }
    for isAtomic in [true, false] {
      for bad in [[record("old", .distantPast)], [record("twice"), record("twice")]] {
        let good = [record("a-\(isAtomic)-\(bad.count)"), record("b-\(isAtomic)-\(bad.count)")]
        let batch = CKSyncEngine.RecordZoneChangeBatch(
          recordsToSave: [good[0]] + bad + [good[1]],
          atomicByZone: isAtomic
        )
        guard case .modifiedRecords(let sent) = await database.answer(.modifyRecords(batch)) else {
          Issue.record("no answer")
          continue
        }
        let failures = Dictionary(
          grouping: sent.failedRecordSaves,
          by: { $0.record.recordID.recordName }
        ).mapValues { Set($0.map(\.error.code)) }
        let name = bad[0].recordID.recordName
        #expect(failures[name] == [.invalidArguments], "\(sent)")
        for record in good {
          let expected: Set<CKError.Code>? = isAtomic ? [.batchRequestFailed] : nil
          #expect(failures[record.recordID.recordName] == expected, "\(sent)")
        }
        #expect(sent.savedRecords.count == (isAtomic ? 0 : 2))
        #expect(
          sent.failedRecordSaves.allSatisfy {
            $0.error.message.contains($0.record.recordID.recordName) || isAtomic
          }
        )
      }
    }
  }

  @Test("notes are renamed to and fro, and deleted")
  func renames() async throws {
    let kit = try await KitServer()
    let (a, b) = (Device(kit, "a"), Device(kit, "b"))
    a.write("Name 1", to: "note", version: 1)
    try await a.sendAll()
    try await b.engine.fetchChanges()
    b.write("Name 2", to: "note", version: 2)
    try await b.engine.sendChanges()
    try await a.engine.fetchChanges()
    #expect(a.notebook.notes == ["note": "Name 2"])
    a.write("Name 3", to: "note", version: 3)
    try await a.engine.sendChanges()
    try await b.engine.fetchChanges()
    #expect(b.notebook.notes == ["note": "Name 3"])
    b.notebook.erase("note", b.engine)
    try await b.engine.sendChanges()
    try await a.engine.fetchChanges()
    #expect(a.notebook.notes.isEmpty)
  }

  @Test("a zone that is gone is saved again, and its record")
  func zoneNotFound() async throws {
    let kit = try await KitServer()
    let (a, b) = (Device(kit, "a"), Device(kit, "b"))
    a.write("first", to: "note", version: 1)
    try await a.sendAll()
    b.engine.state.add(pendingDatabaseChanges: [.deleteZone(Notebook.zoneID)])
    try await b.engine.sendChanges()
    a.write("second", to: "note", version: 2)
    await #expect(throws: CKError.self) { try await a.engine.sendChanges() }
    #expect(a.engine.state.pendingDatabaseChanges.count == 1)
    #expect(a.engine.state.pendingRecordZoneChanges.count == 1)
    try await a.engine.sendChanges()
    try await b.engine.fetchChanges()
    #expect(b.notebook.notes == ["note": "second"])
  }

  @Test("a record that is gone is saved as a new one")
  func unknownItem() async throws {
    let kit = try await KitServer()
    let (a, b) = (Device(kit, "a"), Device(kit, "b"))
    a.write("first", to: "note", version: 1)
    try await a.sendAll()
    b.engine.state.add(pendingRecordZoneChanges: [.deleteRecord(Notebook.id("note"))])
    try await b.engine.sendChanges()
    a.write("second", to: "note", version: 2)
    await #expect(throws: CKError.self) { try await a.engine.sendChanges() }
    #expect(a.notebook.seen.value.errors.last == .unknownItem)
    try await a.engine.sendChanges()
    try await b.engine.fetchChanges()
    #expect(b.notebook.notes == ["note": "second"])
  }

  @Test("of two edits the later one wins, whichever is sent first", arguments: [true, false])
  func conflicts(winnerSendsFirst: Bool) async throws {
    let kit = try await KitServer()
    let (a, b) = (Device(kit, "a"), Device(kit, "b"))
    a.write("A1", to: "note", version: 1)
    try await a.sendAll()
    try await b.engine.fetchChanges()
    a.write("A2", to: "note", version: 3)
    b.write("B1", to: "note", version: 2)
    let (first, second) = winnerSendsFirst ? (a, b) : (b, a)
    try await first.engine.sendChanges()
    await #expect(throws: CKError.self) { try await second.engine.sendChanges() }
    #expect(second.notebook.seen.value.errors.last == .serverRecordChanged)
    #expect(first.engine.state.pendingRecordZoneChanges.isEmpty)
    #expect(second.engine.state.pendingRecordZoneChanges.count == 1)
    #expect(second.notebook.notes == ["note": "A2"])
    try await second.engine.sendChanges()
    try await first.engine.fetchChanges()
    #expect(a.notebook.notes == ["note": "A2"])
    #expect(b.notebook.notes == ["note": "A2"])
  }

  @Test("a zone that was created again replaces what others have of it")
  func resets() async throws {
    let kit = try await KitServer()
    let (a, b) = (Device(kit, "a"), Device(kit, "b"))
    a.write("old", to: "old", version: 1)
    try await a.sendAll()
    try await b.engine.fetchChanges()
    #expect(b.notebook.notes == ["old": "old"])
    a.notebook.reset(a.engine)
    try await a.sendAll()
    a.write("new", to: "new", version: 2)
    try await a.sendAll()
    try await b.engine.fetchChanges()
    #expect(b.notebook.notes == ["new": "new"])
    try await a.engine.fetchChanges()
    #expect(a.notebook.notes == ["new": "new"])
    // What a device did itself it is not reported.
    a.write("newer", to: "new", version: 3)
    try await a.sendAll()
    let before = a.notebook.events.count
    try await a.engine.fetchChanges()
    let reported = a.notebook.events[before...]
    #expect(!reported.contains { $0.hasPrefix("fetchedRecordZoneChanges") }, "\(reported)")
  }

  @Test("a purged zone is reported as purged")
  func purges() async throws {
    let kit = try await KitServer()
    let (a, b) = (Device(kit, "a"), Device(kit, "b"))
    a.write("text", to: "note", version: 1)
    try await a.sendAll()
    try await b.engine.fetchChanges()
    let client = try await kit.server.client(as: "ada")
    _ = try await client.zones.modifyRecordZones(
      .init(
        databaseID: .init(scope: .private),
        zoneIDsToDelete: [.init(zoneName: "Notes")],
        deletionReason: .purged
      )
    )
    let reasons = Mutex<[CKDatabase.DatabaseChange.Deletion]>([])
    b.notebook.hook.withLock {
      $0 = { event, _ in
        guard case .fetchedDatabaseChanges(let changes) = event else { return }
        reasons.withLock { $0 += changes.deletions }
      }
    }
    try await b.engine.fetchChanges()
    #expect(reasons.withLock { $0.map(\.reason) } == [.purged])
    #expect(b.notebook.notes.isEmpty)
  }

  @Test("an engine resumes where its state was kept, and redoes what was not")
  func restarts() async throws {
    let kit = try await KitServer()
    let a = Device(kit, "a")
    a.write("one", to: "1", version: 1)
    try await a.sendAll()
    let b = Device(kit, "b")
    try await b.engine.fetchChanges()
    let early = b.notebook.persisted
    a.write("two", to: "2", version: 1)
    try await a.sendAll()
    try await b.engine.fetchChanges()
    b.write("three", to: "3", version: 1)
    try await b.sendAll()

    let late = Device(kit, "b", persisted: b.notebook.persisted)
    try await late.engine.fetchChanges()
    #expect(late.notebook.notes == ["1": "one", "2": "two", "3": "three"])
    #expect(!late.notebook.events.contains { $0.hasPrefix("accountChange") })
    let redone = Device(kit, "b", persisted: early)
    #expect(redone.notebook.notes == ["1": "one"])
    try await redone.engine.fetchChanges()
    #expect(redone.notebook.notes == late.notebook.notes)
  }

  @Test("another user's state is emptied, and that is reported")
  func accounts() async throws {
    let kit = try await KitServer()
    let a = Device(kit, "a")
    a.write("ada's", to: "note", version: 1)
    try await a.sendAll()
    #expect(a.notebook.events.contains { $0.hasPrefix("accountChange(signIn") })
    a.write("unsent", to: "other", version: 1)
    try await a.engine.fetchChanges()

    let notebook = Notebook(a.notebook.persisted)
    #expect(notebook.notes.count == 2)
    let engine = notebook.engine(kit.container(as: "bob").privateCloudDatabase)
    try await engine.fetchChanges()
    #expect(notebook.events.contains { $0.hasPrefix("accountChange(switchAccounts") })
    #expect(engine.state.pendingRecordZoneChanges.isEmpty)
    #expect(notebook.notes.isEmpty)

    let signedOut = Notebook(a.notebook.persisted)
    let nobody = signedOut.engine(kit.container(as: "").privateCloudDatabase)
    await #expect(throws: CKError.self) { try await nobody.fetchChanges() }
    #expect(signedOut.events.contains { $0.hasPrefix("accountChange(signOut") })
    #expect(signedOut.notes.isEmpty)
  }

  @Test("a delegate that waits for its engine is refused; a task of its own is not")
  func reentrance() async throws {
    let kit = try await KitServer()
    let a = Device(kit, "a")
    let results = Observed<(own: CKError.Code?, other: Bool)>((nil, false))
    let isFirst = Mutex(true)
    a.notebook.hook.withLock {
      $0 = { event, engine in
        guard case .willFetchChanges = event, isFirst.withLock({ $0 }) else { return }
        isFirst.withLock { $0 = false }
        do {
          try await engine.fetchChanges()
        } catch {
          results.update { $0.own = (error as? CKError)?.code }
        }
        Task {
          try await engine.fetchChanges()
          results.update { $0.other = true }
        }
      }
    }
    try await a.engine.fetchChanges()
    #expect(results.value.own == .invalidArguments)
    try await results.wait("the other task") { $0.other }
  }

  @Test("public databases are refused in words")
  func publicDatabase() async throws {
    let kit = try await KitServer()
    let notebook = Notebook()
    let engine = notebook.engine(kit.container().publicCloudDatabase)
    let error = await #expect(throws: CKError.self) { try await engine.fetchChanges() }
    #expect(error?.code == .badDatabase)
  }
}
