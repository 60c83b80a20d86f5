internal import Foundation
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// The log of the store has a bound, whatever is asked.
@Suite(.endsServers, .embeddedOnly) struct LogLengthTests {
  private static let bound = 2_000_000

  private func logBytes(_ server: TestServer) -> Int {
    let path = server.folder.file("data/tidings.sqlite-wal")
    let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    return size ?? 0
  }

  @Test("two clients that sort all records all the time do not let the log grow")
  func sortingClients() async throws {
    let server = try await TestServer.start(arguments: ["--limit", "log-bytes-max=\(Self.bound)"])
    let writer = try await server.client(as: "ada")
    for batch in 0..<10 {
      _ = try await writer.modify(
        (0..<200).map { index in
          .init(
            "Houses",
            "h\(batch)-\(index)",
            ["n": .init(integerLiteral: Int64(index * 7 % 200))]
          )
        }
      )
    }
    let queryCount = Observed(0)
    let isStopping = Observed(false)
    let readers = try await (0..<2).asyncMap { number in
      let client = try await server.client(as: "ada")
      return Task {
        while !isStopping.value {
          _ = try await client.records.queryRecords(
            .init(
              recordType: "Houses",
              predicate: .init(text: "n >= 0"),
              sortDescriptors: [.init(fieldName: "n", descending: number == 0)],
              limit: 400
            )
          )
          queryCount.update { $0 += 1 }
        }
      }
    }
    var (longest, written) = (0, 0)
    let text = TidingsV1.FieldValue(.bytesValue([UInt8](repeating: 7, count: 60_000)))
    while written < 10 * Self.bound {
      try await writer.save(.init("Texts", "t\(written % 7)", ["text": text]))
      written += 60_000
      longest = max(longest, logBytes(server))
    }
    isStopping.update { $0 = true }
    for reader in readers { try await reader.value }
    #expect(longest < Self.bound * 2, "\(longest) bytes")
    #expect(queryCount.value > 0)
    let info = try await writer.server.fetchServerInfo(.init())
    #expect(info.counters?.checkpointsFailed == 0)
    #expect(info.counters?.logBytes ?? 0 < UInt64(Self.bound * 2))
  }

  @Test(
    "a log that cannot be moved is said and counted; saves are refused at its bound, reads go on"
  )
  func immovableLog() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.startLasting(
      arguments: ["--limit", "log-bytes-max=\(Self.bound)"],
      environment: try disk.environment
    )
    let client = try await server.client(as: "ada", retries: false)
    try await client.save(.init("Texts", "first", ["n": 1]))
    try disk.set(.fail(.write, of: "tidings.sqlite$", count: nil, with: .noSpace))
    let text = TidingsV1.FieldValue(.bytesValue([UInt8](repeating: 7, count: 60_000)))
    var acknowledged: Set<String> = []
    var refusal: RPCError?
    for index in 0..<200 where refusal == nil {
      let name = "t\(index)"
      refusal = await failure { try await client.save(.init("Texts", name, ["text": text])) }
      if refusal == nil { acknowledged.insert(name) }
    }
    #expect(refusal?.code == .unavailable)
    #expect(
      refusal?.message.contains("log of the store is full") == true,
      "\(String(describing: refusal))"
    )
    #expect(logBytes(server) < Self.bound * 2)
    #expect(try await client.fetch([.init("first")])[0].record?.fields["n"] == 1)
    let info = try await client.server.fetchServerInfo(.init())
    #expect(info.counters?.checkpointsFailed ?? 0 > 0)
    #expect(server.process.seen.value.errors.contains("the log cannot be moved"))
    try disk.clear()
    // As soon as the disk has room, saves go on.
    try await waitUntil("a save that succeeds", pausing: .zero) {
      await failure { try await client.save(.init("Texts", "last", ["n": 2])) } == nil
    }
    try await server.crash()
    let next = try await server.restarted()
    let again = try await next.client(as: "ada")
    for name in acknowledged {
      #expect(try await again.fetch([.init(name)])[0].record?.fields["text"] == text)
    }
  }
}
