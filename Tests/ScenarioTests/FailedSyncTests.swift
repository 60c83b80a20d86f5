internal import DiskModel
internal import Foundation
internal import Synchronization
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// A sync that failed ends the server without another write; what was acknowledged is kept.
@Suite(.endsServers, .embeddedOnly) struct FailedSyncTests {
  private func house(_ index: Int) -> TidingsV1.Record {
    .init(
      "Houses",
      "h\(index)",
      [
        "n": .init(integerLiteral: Int64(index)),
        "text": .init(.bytesValue([UInt8](repeating: UInt8(index & 0xff), count: 3_000))),
      ]
    )
  }

  /// Saves until a save fails; returns how many were acknowledged, and why the next was not.
  private func saveUntilFailure(
    _ client: Client,
    from first: Int = 0
  ) async throws -> (count: Int, failure: RPCError) {
    var index = first
    var refusal: RPCError?
    try await waitUntil("a save that fails", pausing: .zero) {
      refusal = await failure { try await client.save(house(index)) }
      if refusal == nil { index += 1 }
      return refusal != nil
    }
    return (index, try #require(refusal))
  }

  private func expectEnd(_ server: TestServer, _ disk: DiskFaults) async throws {
    #expect(try await server.process.waitForExit() == .code(1))
    let errors = server.process.seen.value.errors
    #expect(errors.contains("a sync failed"), "\(errors)")
    let hits = disk.hits
    let failed = try #require(disk.failures.first.flatMap { hits.firstIndex(of: $0) })
    let writesAfter = hits[failed...].filter { $0.call == "write" }
    // One of another thread may have begun before.
    #expect(writesAfter.count <= 1, "\(writesAfter)")
  }

  private func expectKept(_ count: Int, in server: TestServer) async throws {
    let client = try await server.client(as: "ada")
    for first in stride(from: 0, to: count, by: 100) {
      let names = (first..<min(first + 100, count)).map { TidingsV1.RecordID("h\($0)") }
      for (offset, result) in try await client.fetch(names).enumerated() {
        #expect(result.record?.fields["n"] == .init(integerLiteral: Int64(first + offset)))
      }
    }
  }

  @Test("a commit whose sync failed has an outcome that is not known, and the server ends")
  func commit() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.startLasting(environment: try disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    for index in 0..<5 { try await client.save(house(index)) }
    try disk.set([
      .fail(.sync, of: "tidings.sqlite-wal$", after: 3),
      .observe(.write, of: "tidings.sqlite"),
    ])
    let (count, failure) = try await saveUntilFailure(client, from: 5)
    #expect(count == 8)
    #expect(failure.code == .unavailable)
    #expect(failure.details.contains(.errorInfo(reason: "OUTCOME_UNKNOWN")), "\(failure)")
    try await expectEnd(server, disk)
    try disk.clear()
    let next = try await server.restarted()
    try await expectKept(count, in: next)
    try await next.client(as: "ada").save(house(count))
  }

  @Test("a call that takes long is not acknowledged when the sync of its own commit failed")
  func longCall() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.startLasting(environment: try disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    try await client.save(house(0))
    try disk.set([.fail(.sync, of: "tidings.sqlite-wal$")])
    let failure = await failure { _ = try await client.modify((0..<400).map(house)) }
    #expect(failure?.code == .unavailable, "\(String(describing: failure))")
    #expect(failure?.details.contains(.errorInfo(reason: "OUTCOME_UNKNOWN")) == true)
    #expect(try await server.process.waitForExit() == .code(1))
    try disk.clear()
    try await expectKept(1, in: try await server.restarted())
  }

  @Test(
    "a checkpoint whose sync failed ends the server, and the next start writes the log again",
    arguments: [false, true]
  )
  func checkpoint(besideCommits: Bool) async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.startLasting(
      arguments: ["--limit", "log-bytes-max=1000000"],
      environment: try disk.environment
    )
    let client = try await server.client(as: "ada", retries: false)
    for index in 0..<5 { try await client.save(house(index)) }
    // Commits on a slow disk are another thread's, which is almost always amid one.
    let slow = DiskFaults.Rule.slow("tidings.sqlite-wal$", by: .milliseconds(50))
    try disk.set(
      [.fail(.sync, of: "tidings.sqlite$", after: 1), .observe(.write, of: "tidings.sqlite")]
        + (besideCommits ? [slow] : [])
    )
    let (count, failure) = try await saveUntilFailure(client, from: 5)
    #expect(failure.code == .unavailable)
    try await expectEnd(server, disk)
    // The next start copies the whole log: the database alone then holds everything.
    try disk.set([.observe(.sync, of: "tidings.sqlite$"), .observe(.write, of: "tidings.sqlite$")])
    let before = disk.hits.count
    let next = try await server.restarted()
    let calls = disk.hits[before...].map(\.call)
    #expect(calls.contains("write") && calls.contains("sync"))
    try await expectKept(count, in: next)
  }

  @Test("a start that cannot sync what a crash left in the log is refused")
  func start() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.startLasting(environment: try disk.environment)
    let client = try await server.client(as: "ada")
    for index in 0..<5 { try await client.save(house(index)) }
    try await server.crash()
    try disk.set(.fail(.sync, of: "tidings.sqlite$"))
    let failure = await #expect(throws: WaitingFailure.self) { try await server.restarted() }
    let words = failure?.description ?? ""
    #expect(words.contains("cannot open the store of '\(server.folder.file("data"))'"), "\(words)")
    #expect(words.contains("look for errors of the disk"), "\(words)")
    try disk.clear()
    try await expectKept(5, in: try await server.restarted())
  }

  @Test(
    "whatever opens a store after a crash writes and syncs its log again, before it writes to the database",
    arguments: ["compact", "rotate-secret"]
  )
  func log(command: String) async throws {
    let server = try await TestServer.startLasting()
    let client = try await server.client(as: "ada")
    for index in 0..<5 { try await client.save(house(index)) }
    try await server.crash()
    let data = server.folder.file("data")
    let left = try server.folder.read("data/tidings.sqlite-wal")
    let disk = try DiskFaults(recording: data)
    let process = try ServerProcess(
      "rpcd",
      arguments: [command, "--data", data],
      environment: try disk.environment
    )
    #expect(try await process.waitForExit() == .code(0), "\(process.seen.value.errors)")
    var journal = DiskJournal(root: data)
    journal.append(disk.journal)
    let synced = Self.bytesSynced(in: "/tidings.sqlite-wal", before: "/tidings.sqlite", journal)
    let isWhole = synced == left
    #expect(isWhole, "\(synced.count) of \(left.count) bytes")
    try await expectKept(5, in: try await server.restarted())
  }

  /// What was written to a file from its begin on, and synced, before anything was written to another.
  private static func bytesSynced(
    in file: String,
    before other: String,
    _ journal: DiskJournal
  ) -> [UInt8] {
    var names: [UInt64: String] = [:]
    var (written, synced): ([UInt8], [UInt8]) = ([], [])
    for entry in journal.entries {
      switch entry {
      case .opened(let path, let node, _, _): names[node] = path
      case .written(let node, let offset, let bytes) where names[node] == file:
        guard offset == written.count else { return synced }
        written += bytes
      case .written(let node, _, _) where names[node] == other: return synced
      case .synced(let node, false) where names[node] == file: synced = written
      default: break
      }
    }
    return synced
  }
}
