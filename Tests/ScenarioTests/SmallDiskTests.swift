internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsProto
internal import TidingsRPC

/// A file system that is full: not only some calls on files fail then.
@Suite(
  .endsServers,
  .embeddedOnly,
  .enabled(if: SmallDisk.isAvailable, "only who may mount a file system has a small one")
)
struct SmallDiskTests {
  private static let sizes = [900_000, 30_000, 300]

  private static func record(_ name: String, bytes: Int) -> TidingsV1.Record {
    .init("Houses", name, ["data": .init(.bytesValue([UInt8](repeating: 1, count: bytes)))])
  }

  /// Saves records until one is refused, smaller and smaller ones.
  private func fill(_ client: Client) async throws -> [String] {
    var names: [String] = []
    for size in Self.sizes {
      var refusal: RPCError?
      for number in 0..<100_000 where refusal == nil {
        let name = "first-\(size)-\(number)"
        refusal = await failure { try await client.save(Self.record(name, bytes: size)) }
        if refusal == nil { names.append(name) }
      }
      let error = try #require(refusal)
      #expect(error.code == .unavailable && error.message.contains("full"), "\(error)")
      #expect(!error.details.contains(.errorInfo(reason: "OUTCOME_UNKNOWN")), "\(error)")
    }
    return names
  }

  private func expectThere(_ names: [String], _ client: Client) async throws {
    for name in names {
      #expect(try await client.fetch([.init(name)]).first?.record != nil, "\(name) is missing")
    }
  }

  @Test(
    "a file system that is full refuses what is new, shows the rest, and takes more when it has room"
  )
  func full() async throws {
    let disk = try SmallDisk(bytes: 192 << 20)
    try disk.occupy(128 << 20)
    var server = try await TestServer.start(in: disk.folder)
    var client = try await server.client(as: "ada", retries: false)
    var names = try await fill(client)
    try await expectThere(names, client)
    let content = [UInt8](repeating: 8, count: 100_000)
    let upload = await failure { _ = try await client.assets().upload(content) }
    #expect(
      upload?.code == .unavailable && upload?.message.contains("full") == true,
      "\(String(describing: upload))"
    )

    // What only reads does not fail with what writes in the same group.
    let last = try #require(names.last)
    await withTaskGroup(of: Void.self) { [client] calls in
      for number in 0..<50 {
        calls.addTask {
          let save = Self.record("refused-\(number)", bytes: 900_000)
          let refusal = await failure { try await client.save(save) }
          #expect(refusal?.message.contains("full") == true, "\(refusal as Any)")
        }
        calls.addTask {
          let refusal = await failure { _ = try await client.fetch([.init(last)]) }
          #expect(refusal == nil)
        }
      }
    }

    // The log has to be moved, for which there is no room.
    try await server.crash()
    await expectNoRoom(on: disk)
    try disk.free()
    server = try await TestServer.start(in: disk.folder)
    client = try await server.client(as: "ada", retries: false)
    try await expectThere(names, client)
    for number in 0..<20 {
      names.append("second-\(number)")
      try await client.save(Self.record(names[names.count - 1], bytes: 900_000))
    }
    try await expectThere(names, client)
    try await server.crash()
    server = try await TestServer.start(in: disk.folder)
    client = try await server.client(as: "ada", retries: false)
    try await expectThere(names, client)
    withExtendedLifetime(disk) {}
  }

  @Test("a server that was stopped does not start without room, says so, and starts with it")
  func stopped() async throws {
    let disk = try SmallDisk(bytes: 32 << 20)
    var server = try await TestServer.start(in: disk.folder)
    try await server.client(as: "ada").save(Self.record("r", bytes: 10_000))
    try await server.stop()
    try disk.fill()
    await expectNoRoom(on: disk)
    try disk.free()
    server = try await TestServer.start(in: disk.folder)
    try await expectThere(["r"], server.client(as: "ada"))
    withExtendedLifetime(disk) {}
  }

  private func expectNoRoom(on disk: SmallDisk) async {
    let failure = await #expect(throws: WaitingFailure.self) {
      try await TestServer.start(in: disk.folder)
    }
    let words = failure?.description ?? ""
    #expect(words.contains("cannot open the store of '\(disk.folder.file("data"))'"), "\(words)")
    #expect(words.contains("nothing is lost: "), "\(words)")
    #expect(words.contains("make room on the disk"), "\(words)")
  }
}
