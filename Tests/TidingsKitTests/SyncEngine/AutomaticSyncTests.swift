import Foundation
import TestSupport
import Testing
import TidingsKit

/// Engines that sync by themselves.
@Suite(.endsServers) struct AutomaticSyncTests {
  @Test("what one device writes the others have soon, without asking")
  func following() async throws {
    let kit = try await KitServer()
    let devices = (0..<3).map { number in
      let notebook = Notebook()
      let database = kit.container(device: "\(number)").privateCloudDatabase
      return (notebook, notebook.engine(database, automatically: true))
    }
    for (number, device) in devices.enumerated() {
      device.0.write("from \(number)", to: "note-\(number)", version: 1, device.1)
    }
    for device in devices {
      try await device.0.seen.wait("all notes") { $0.notes.count == 3 }
    }
    let (notebook, engine) = devices[0]
    notebook.write("again", to: "note-2", version: 2, engine)
    notebook.erase("note-1", engine)
    for device in devices {
      try await device.0.seen.wait("the edit and the deletion") {
        $0.notes["note-2"]?.text == "again" && $0.notes["note-1"] == nil
      }
    }
    // What the serialization says and what the program has agree in the end.
    try await notebook.seen.wait("the state") {
      $0.events.last == "stateUpdate" || $0.events.last?.hasPrefix("did") == true
    }
    withExtendedLifetime(devices) {}
  }

  @Test("a server that is killed and comes again is found again, and nothing is lost")
  func serverRestarts() async throws {
    let kit = try await KitServer.lasting()
    let (writer, reader) = (Notebook(), Notebook())
    let (a, b) = (
      writer.engine(kit.container(device: "a").privateCloudDatabase, automatically: true),
      reader.engine(kit.container(device: "b").privateCloudDatabase, automatically: true)
    )
    writer.write("1", to: "before", version: 1, a)
    try await reader.seen.wait("the first note") { $0.notes.count == 1 }
    try await kit.server.crash()
    writer.write("2", to: "meanwhile", version: 1, a)
    await #expect(throws: CKError.self) { try await b.fetchChanges() }
    reader.write("3", to: "other", version: 1, b)
    let again = try await kit.server.restarted()
    for notebook in [writer, reader] {
      try await notebook.seen.wait("all notes") { $0.notes.count == 3 }
    }
    #expect(writer.notes == ["before": "1", "meanwhile": "2", "other": "3"])
    #expect(reader.notes == writer.notes)
    withExtendedLifetime((a, b, again)) {}
  }

  @Test("what is cancelled stays pending, and is sent with the next change")
  func cancelling() async throws {
    let kit = try await KitServer()
    let (a, b) = (Notebook(), Notebook())
    let (writer, reader) = (
      a.engine(kit.container(device: "a").privateCloudDatabase, automatically: true),
      b.engine(kit.container(device: "b").privateCloudDatabase)
    )
    for number in 0..<50 {
      a.write("\(number)", to: "note-\(number % 10)", version: number, writer)
      if number % 7 == 0 { await writer.cancelOperations() }
    }
    a.write("last", to: "last", version: 1, writer)
    try await a.seen.wait("the last note to be sent") { $0.notes["last"]?.systemFields != nil }
    try await reader.fetchChanges()
    #expect(b.notes == a.notes)
  }

  @Test("an engine that nobody keeps ends, and so do those who wait for it")
  func ending() async throws {
    let kit = try await KitServer()
    let notebook = Notebook()
    weak var gone: CKSyncEngine?
    do {
      let engine = notebook.engine(kit.container().privateCloudDatabase, automatically: true)
      gone = engine
      try await engine.fetchChanges()
    }
    // Its last event may still be under way.
    try await waitUntil("the engine to be gone") { gone == nil }
    let task = Task {
      let engine = notebook.engine(kit.container().privateCloudDatabase)
      try await engine.fetchChanges()
    }
    task.cancel()
    let result = await task.result
    if case .failure(let error) = result {
      #expect((error as? CKError)?.code == .operationCancelled)
    }
  }
}
