internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// A machine that runs out of what a server needs.
@Suite(.endsServers, .embeddedOnly) struct MachineFaultTests {
  private func number(_ name: String, _ client: Client) async throws -> Int64? {
    guard
      case .int64Value(let number)? = try await client.fetch([.init(name)]).first?.record?
        .fields["n"]?.value
    else { return nil }
    return number
  }

  @Test(
    "a full disk refuses writes with the reason, goes on reading, and writes again when it has room",
    arguments: [("tidings.sqlite-wal$", DiskFaults.Failure.noSpace), ("/data/", .quota)]
  )
  func fullDisk(path: String, failure cause: DiskFaults.Failure) async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    for number in 1...5 {
      try await client.save(.init("Houses", "h", ["n": .init(integerLiteral: Int64(number))]))
    }
    try disk.set(.fail(.write, of: path, count: nil, with: cause))
    for number in 6...9 {
      let refusal = await failure {
        try await client.save(.init("Houses", "h", ["n": .init(integerLiteral: Int64(number))]))
      }
      #expect(refusal?.code == .unavailable, "\(String(describing: refusal))")
      #expect(refusal?.message.contains("full") == true, "\(String(describing: refusal))")
      #expect(refusal?.details.contains(.errorInfo(reason: "OUTCOME_UNKNOWN")) != true)
      #expect(try await self.number("h", client) == 5)
    }
    try disk.clear()
    try await client.save(.init("Houses", "h", ["n": 10]))
    #expect(try await number("h", client) == 10)
    #expect(server.process.seen.value.exit == nil)
    try await server.crash()
    let next = try await TestServer.start(in: server.folder)
    #expect(try await number("h", next.client(as: "ada")) == 10)
  }

  @Test("a disk that became read-only refuses writes and goes on reading")
  func readOnly() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    try await client.save(.init("Houses", "h", ["n": 5]))
    try disk.set(.fail(.write, of: "/data/", count: nil, with: .readOnly))
    for _ in 0..<2 {
      let refusal = await failure { try await client.save(.init("Houses", "h", ["n": 6])) }
      #expect(refusal?.code == .unavailable || refusal?.code == .internal)
      #expect(try await number("h", client) == 5)
    }
    try disk.clear()
    try await client.save(.init("Houses", "h", ["n": 7]))
    #expect(try await number("h", client) == 7)
  }

  @Test("what a server acknowledged before it got no more memory is kept")
  func memory() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada", retries: false)
    let used = try server.process.memoryPeakBytes()
    try server.process.limitAddressSpace(toMore: 8 << 20)
    let acknowledged = Observed(0)
    // Each holds a large request and its answer.
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<12 {
        group.addTask {
          for round in 0..<2 {
            let text = [UInt8](repeating: 1, count: 900_000)
            let record = TidingsV1.Record(
              "Houses",
              "t\(task)-\(round)",
              ["text": .init(.bytesValue(text))]
            )
            guard (try? await client.save(record)) != nil else { return }
            acknowledged.update { $0 += 1 }
          }
        }
      }
    }
    print("memory: \(used >> 20) MiB at the begin, \(acknowledged.value) acknowledged")
    let count = acknowledged.value
    if server.process.seen.value.exit == nil { try await server.crash() }
    let next = try await TestServer.start(in: server.folder)
    let again = try await next.client(as: "ada")
    var found = 0
    for task in 0..<12 {
      for result in try await again.fetch((0..<2).map { .init("t\(task)-\($0)") })
      where result.record != nil { found += 1 }
    }
    #expect(found >= count)
  }
}
