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

  @Test("a save for which the index of the log cannot grow is refused, and not kept")
  func fullIndex() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    // The log is not moved, and becomes longer than its index has room for at first.
    try disk.set(
      ["-shm$", "$"].map {
        .fail(.write, of: "tidings.sqlite" + $0, count: nil, with: .noSpace)
      }
    )
    let data = TidingsV1.FieldValue(.bytesValue([UInt8](repeating: 1, count: 900_000)))
    var (count, found) = (0, RPCError?.none)
    while found == nil, count < 100 {
      found = await failure { try await client.save(.init("Houses", "h\(count)", ["data": data])) }
      if found == nil { count += 1 }
    }
    let refusal = try #require(found)
    #expect(refusal.code == .unavailable && refusal.message.contains("full"), "\(refusal)")
    #expect(!refusal.details.contains(.errorInfo(reason: "OUTCOME_UNKNOWN")), "\(refusal)")
    #expect(disk.failures.contains { $0.path.hasSuffix("-shm") })
    func isKept(_ number: Int, _ client: Client) async throws -> Bool {
      try await client.fetch([.init("h\(number)")]).first?.record != nil
    }
    #expect(try await !isKept(count, client))
    try await server.crash()
    let next = try await TestServer.start(in: server.folder).client(as: "ada")
    for number in 0..<count { #expect(try await isKept(number, next), "\(number)") }
    #expect(try await !isKept(count, next))
    try await next.save(.init("Houses", "h\(count)", ["data": data]))
  }

  static let failing: [(DiskFaults.Failure, String)] = [
    (
      .readOnly,
      "the disk of the server is read-only; nothing was changed: "
        + "try again when its operator has made it writable"
    ),
    (
      .inputOutput,
      "the disk of the server failed (input/output error); nothing was changed: "
        + "try again later, and inform its operator if that lasts"
    ),
  ]

  @Test(
    "a disk that became read-only, or fails, refuses writes with the reason, and goes on reading",
    arguments: failing
  )
  func failingWrites(failure cause: DiskFaults.Failure, words: String) async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    try await client.save(.init("Houses", "h", ["n": 5]))
    try disk.set(.fail(.write, of: "/data/", count: nil, with: cause))
    for _ in 0..<2 {
      let refused = await failure { try await client.save(.init("Houses", "h", ["n": 6])) }
      let refusal = try #require(refused)
      #expect(refusal.code == .unavailable, "\(refusal)")
      // Also that there is no path in it.
      #expect(refusal.message == words)
      #expect(refusal.retryAfter != nil)
      #expect(!refusal.details.contains(.errorInfo(reason: "OUTCOME_UNKNOWN")))
      #expect(try await number("h", client) == 5)
    }
    #expect(!disk.failures.isEmpty)
    try disk.clear()
    try await client.save(.init("Houses", "h", ["n": 7]))
    #expect(try await number("h", client) == 7)
  }

  @Test(
    "a server that may open no file goes on with those that are open, and refuses what needs another",
    arguments: [DiskFaults.Failure.filesOfProcess, .filesOfSystem]
  )
  func openFiles(failure cause: DiskFaults.Failure) async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    let content = [UInt8](repeating: 7, count: 100_000)
    let asset = try await client.assets().upload(content)
    try await client.save(.init("Houses", "p", ["photo": .init(.assetValue(asset))]))
    try await client.save(.init("Houses", "h", ["n": 1]))
    try disk.set(.fail(.open, of: "/data/", count: nil, with: cause))
    try await client.save(.init("Houses", "h", ["n": 2]))
    #expect(try await number("h", client) == 2)
    let other = [UInt8](repeating: 8, count: 100_000)
    let upload = await failure { _ = try await client.assets().upload(other) }
    let download = await failure { _ = try await client.assets().download(asset) }
    for refusal in [upload, download] {
      let text = String(describing: refusal)
      #expect(refusal?.code == .unavailable, "\(text)")
      #expect(refusal?.message.contains("the server has too many files open") == true, "\(text)")
    }
    #expect(!disk.failures.isEmpty)
    try disk.clear()
    #expect(try await client.assets().download(asset) == content)
    let stored = try await client.assets().upload(other)
    #expect(try await client.assets().download(stored) == other)
    try await client.save(.init("Houses", "h", ["n": 3]))
    #expect(try await number("h", client) == 3)
    #expect(server.process.seen.value.exit == nil)
  }

  @Test(
    "what a server acknowledged before it got no more memory, and afterwards, is kept",
    arguments: MemoryBound.available
  )
  func memory(bound: MemoryBound) async throws {
    var group: MemoryControlGroup?
    if bound == .controlGroup {
      let made = try #require(MemoryControlGroup.make(bytesMax: 1 << 30))
      group = made
    }
    let server = try await TestServer.start(
      in: group == nil ? nil : MemoryControlGroup.makeFolder(),
      controlGroup: group
    )
    let client = try await server.client(as: "ada", retries: false)
    let used = try server.process.memoryPeakBytes()
    let acknowledged = Observed<[String]>([])
    let refusals = Observed<[RPCError]>([])
    try await client.save(Self.large("first"))
    acknowledged.update { $0.append("first") }
    if let group {
      server.process.expectEnd(by: [SIGKILL])
      try group.limit(toMore: 8 << 20)
    } else {
      try server.process.limitAddressSpace(toMore: 8 << 20)
    }
    // What it has and does not use is used first: each round asks for twice as much at once, until there is no more.
    for count in [12, 24, 48, 96, 192] where !Self.isForLackOfMemory(refusals.value) {
      await withTaskGroup(of: Void.self) { group in
        for task in 0..<count {
          group.addTask {
            let name = "t\(count)-\(task)"
            let refusal = await failure { try await client.save(Self.large(name)) }
            if let refusal {
              refusals.update { $0.append(refusal) }
            } else {
              acknowledged.update { $0.append(name) }
            }
          }
        }
      }
    }
    print("memory: \(used >> 20) MiB at the begin, \(acknowledged.value.count) acknowledged")
    #expect(Self.isForLackOfMemory(refusals.value), "the limit was not felt")
    if group != nil { #expect(try await server.process.waitForExit() == .signal(SIGKILL)) }
    try await server.crash()
    let next = try await TestServer.start(in: server.folder)
    let again = try await next.client(as: "ada")
    for name in acknowledged.value {
      #expect(try await again.fetch([.init(name)]).first?.record != nil, "\(name) is missing")
    }
  }

  /// A record whose request and answer take much memory.
  private static func large(_ name: String) -> TidingsV1.Record {
    .init("Houses", name, ["text": .init(.bytesValue([UInt8](repeating: 1, count: 900_000)))])
  }

  /// Something was refused, or the server has ended; not only for a bound of its own.
  private static func isForLackOfMemory(_ refusals: [RPCError]) -> Bool {
    refusals.contains { $0.code != .resourceExhausted }
  }
}
