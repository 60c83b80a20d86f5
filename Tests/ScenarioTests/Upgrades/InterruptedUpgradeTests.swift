internal import DiskModel
internal import Foundation
internal import RandomSupport
internal import TestSupport
internal import Testing

/// Starts that upgrade a store and do not come to their end: the next one resumes, and the store has all that it had.
@Suite(.endsServers, .embeddedOnly) struct InterruptedUpgradeTests {
  /// A data folder whose upgrade was cut short.
  private struct Left {
    let folder: TemporaryFolder
    /// When.
    let moment: String
  }

  @Test(
    "an upgrade, with checksums to add, that loses its power before any of its syncs is resumed, and nothing is lost"
  )
  func powerLosses() async throws {
    let seed = Seed.make("InterruptedUpgradeTests")
    var random = SplitMix64(seed: seed)
    let older = try await OlderStore.withoutChecksums()
    let killed = try older.copy()
    try await Self.killServer(on: killed, atSyncOf: "tidings.sqlite-sealed$")
    #expect(try !OlderStore.hasChecksums(killed))
    var lefts = [Left(folder: killed, moment: "killed while checksums were added")]

    // Recorded once, up to the ready line, and lost at each of its syncs.
    let data = older.folder.file("data")
    let disk = try SimulatedDisk(copying: data)
    let faults = try DiskFaults(recording: data)
    let server = try await TestServer.start(
      in: older.folder,
      environment: try faults.environment.merging(OlderStore.nextVersion) { $1 }
    )
    try await server.crash()
    var journal = DiskJournal(root: data)
    journal.append(faults.journal)
    for (index, entry) in journal.entries.enumerated() {
      if case .synced = entry {
        let loss = PowerLoss(end: index, random: &random)
        let folder = try TemporaryFolder()
        try disk.write(after: loss, to: folder.file("data"))
        let moment = "entry \(index) of \(journal.entries.count), \(loss), seed \(seed)"
        lefts.append(Left(folder: folder, moment: moment))
      }
      disk.apply(entry)
    }

    // They are what they are meant to be: before and after the step.
    let formats = try Set(lefts.map { try OlderStore.format(of: $0.folder) })
    #expect(formats == [1, 2], "seed \(seed)")
    let hadChecksums = try lefts.map { try OlderStore.hasChecksums($0.folder) }
    #expect(Set(hadChecksums).count == 2)
    await Self.check(lefts, older.view)
    #expect(try lefts.allSatisfy { try OlderStore.hasChecksums($0.folder) })
  }

  @Test(
    "an upgrade that is killed is resumed, nothing is lost, and the version before refuses what it has made"
  )
  func kills() async throws {
    let older = try await OlderStore.killed()
    var formats = [try OlderStore.format(of: older.folder)]
    while true {
      // The log's first sync is that of what the killed server left in it.
      try await Self.killServer(on: older.folder, atSyncOf: "tidings.sqlite-wal$", after: 1)
      let format = try OlderStore.format(of: older.folder)
      // The steps were done before, and it was killed at what follows them.
      if format == formats.last { break }
      formats.append(format)
    }
    await Self.check([Left(folder: older.folder, moment: "killed")], older.view)
    // The first start did its step.
    #expect(formats == [1, 2])
    let refused = await #expect(throws: WaitingFailure.self) {
      _ = try await TestServer.start(in: older.folder)
    }
    #expect("\(refused as Any)".contains("schema 2; this program knows 1"), "\(refused as Any)")
    #expect(try OlderStore.format(of: older.folder) == 2)
  }

  /// Starts a server, and kills it while it waits for a sync of a file: the first, or one after some.
  private static func killServer(
    on folder: TemporaryFolder,
    atSyncOf file: String,
    after count: Int = 0
  ) async throws {
    let faults = try DiskFaults()
    try faults.set(.hold(file, after: count))
    let endpoint = "tcp://127.0.0.1:0"
    let process = try ServerProcess(
      arguments: ["--rpc", endpoint, "--push", endpoint, "--data", folder.file("data")],
      environment: try faults.environment.merging(OlderStore.nextVersion) { $1 }
    )
    // A file shows it: nothing wakes who waits for that.
    try await waitUntil("a sync of \(file)", pausing: .milliseconds(2)) {
      if faults.heldCount > 0 { return true }
      let seen = process.seen.value
      guard seen.output.isEmpty, seen.exit == nil else {
        throw WaitingFailure(description: "rpcd did not sync \(file): \(seen.errors)")
      }
      return false
    }
    process.send(9)
    #expect(try await process.waitForExit() == .signal(9))
  }

  /// Starts a server on each of some folders, and compares what clients see with what they saw.
  private static func check(_ lefts: [Left], _ view: StoredContent.View) async {
    await withTaskGroup(of: Void.self) { group in
      for (index, left) in lefts.enumerated() {
        // Each has a process of its own, and the comparison.
        if index >= 2 { _ = await group.next() }
        group.addTask {
          do {
            try await expectContent(view, of: left)
          } catch {
            Issue.record("\(left.moment): \(error)")
          }
        }
      }
    }
  }

  private static func expectContent(_ view: StoredContent.View, of left: Left) async throws {
    let server = try await TestServer.start(
      in: left.folder,
      environment: OlderStore.nextVersion
    )
    let content = StoredContent(server: server)
    let answers = try await content.answers(after: view.tokens)
    for (name, answer) in view.answers {
      #expect(answers[name] == answer, "\(name), \(left.moment)")
    }
    #expect(answers.count == view.answers.count, "\(left.moment)")
    #expect(try await content.auditProblems() == [], "\(left.moment)")
    try await server.crash()
  }
}
