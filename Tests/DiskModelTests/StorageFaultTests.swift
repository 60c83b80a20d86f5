internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// Faults that were found by simulation, on a real server.
@Suite(.endsServers, .embeddedOnly) struct StorageFaultTests {
  private func house(_ index: Int) -> TidingsV1.Record {
    .init(
      "Houses",
      "h\(index)",
      [
        "n": .init(integerLiteral: Int64(index)),
        "text": .init(.bytesValue([UInt8](repeating: UInt8(index & 0xff), count: 20_000))),
      ]
    )
  }

  @Test("a first page that a power loss within a checkpoint tore is read from the log")
  func tornFirstPage() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    for index in 0..<20 { try await client.save(house(index)) }
    try await server.crash()
    // The log has the page: the database became larger.
    try server.folder.overwrite(
      [UInt8](repeating: 0x5a, count: 512),
      at: 512,
      in: "data/tidings.sqlite"
    )
    let next = try await TestServer.start(in: server.folder)
    let again = try await next.client(as: "ada")
    for index in 0..<20 {
      let found = try await again.fetch([.init("h\(index)")]).first?.record
      #expect(found?.fields["n"] == .init(integerLiteral: Int64(index)))
    }
    // It was written again.
    try await next.stop()
    _ = try await TestServer.start(in: server.folder)
  }

  @Test("an audit log that cannot be read is not begun again")
  func unreadableAudit() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.startLasting(environment: disk.environment)
    _ = try await server.client(as: "ada").save(.init("Houses", "h1"))
    try await server.stop()
    try server.folder.write(Array("{}\n".utf8), to: "data/audit.log")
    try disk.set(.fail(.read, of: "audit.log", count: nil))
    await #expect(throws: WaitingFailure.self) { try await server.restarted() }
    try disk.clear()
    _ = try await server.restarted()
  }

  @Test("a log that can be opened for reading only, once, is opened again to be moved")
  func readOnlyOnce() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(
      arguments: ["--limit", "log-bytes-max=1000000"],
      environment: disk.environment
    )
    let client = try await server.client(as: "ada", retries: false)
    try await client.save(house(0))
    try disk.set(.fail(.open, of: "tidings.sqlite", count: 1, with: .readOnly))
    for index in 1..<200 {
      guard let refusal = await failure({ try await client.save(house(index)) }) else { continue }
      // The log is full until the next attempt to move it.
      #expect(refusal.code == .unavailable, "\(refusal)")
      try await waitUntil("an attempt to move the log that fails") { !disk.failures.isEmpty }
      break
    }
    #expect(!disk.failures.isEmpty)
    // From then on it is moved again and again.
    var refusals = 0
    for index in 200..<320 {
      try await waitUntil("the log to be moved", pausing: .milliseconds(100)) {
        let refusal = await failure { try await client.save(house(index)) }
        if refusal != nil { refusals += 1 }
        return refusal == nil
      }
    }
    #expect(refusals < 100)
  }
}
