internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsFiles
internal import TidingsProto
internal import TidingsRPC

/// Uploads on a disk whose sync fails, and that keeps what is to be thrown away then: the usual end of a file system
/// that is made read-only after the first error.
@Suite(.endsServers, .embeddedOnly) struct AssetSyncTests {
  /// Sends a content, or asks how much of it there is, and is refused.
  private func expectRefusal(_ body: () async throws -> TidingsV1.UploadAssetResponse) async {
    let refusal = await failure { _ = try await body() }
    #expect(refusal?.code == .unavailable, "\(String(describing: refusal))")
  }

  @Test(
    "a part whose sync failed and that stays is neither continued nor acknowledged",
    arguments: [3 << 20, 9 << 20]
  )
  func part(size: Int) async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    let upload = AssetUpload(size)
    try disk.set([
      .fail(.sync, of: ".part"), .fail(.unlink, of: ".part", count: nil, with: .readOnly),
      .fail(.truncate, of: ".part", count: nil, with: .readOnly),
    ])
    await expectRefusal { try await upload.send(to: client) }
    #expect(try !Folder.names(server.folder.file("data/assets/incoming")).isEmpty)
    // The next sync would succeed.
    for _ in 0..<2 {
      await expectRefusal { try await upload.stored(at: client) }
      await expectRefusal { try await upload.send(from: size - 1 << 20, to: client) }
    }
    let failedSyncs = disk.failures.count { $0.call == "sync" }
    #expect(failedSyncs == 1)

    // On a disk that works again all of it is sent again, and synced.
    try disk.set([.observe(.write, of: ".part"), .observe(.sync, of: ".part")])
    #expect(try await upload.stored(at: client) == .init(offset: 0))
    let last = try await upload.send(from: size - 1 << 20, to: client)
    #expect(last == .init(offset: 0))
    #expect(try await upload.send(to: client).complete)
    let calls = disk.hits.filter { $0.code == 0 }.map(\.call)
    let writes = calls.count { $0 == "write" }
    #expect(writes >= size >> 20 && calls.last == "sync", "\(calls)")
    #expect(try await client.assets().download(upload.asset) == upload.content)
  }

  @Test("a part that can be emptied, and not removed, is sent again from its beginning")
  func emptied() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    let upload = AssetUpload(3 << 20)
    try disk.set([
      .fail(.sync, of: ".part"), .fail(.unlink, of: ".part", count: nil, with: .readOnly),
    ])
    await expectRefusal { try await upload.send(to: client) }
    #expect(try await upload.stored(at: client) == .init(offset: 0))
    #expect(try await upload.send(to: client).complete)
    #expect(try await client.assets().download(upload.asset) == upload.content)
  }

  @Test("what an earlier run may have failed to sync is written again before it is acknowledged")
  func restart() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.startLasting(environment: disk.environment)
    let upload = AssetUpload(3 << 20)
    try disk.set([
      .fail(.sync, of: ".part"), .fail(.unlink, of: ".part", count: nil, with: .readOnly),
      .fail(.truncate, of: ".part", count: nil, with: .readOnly),
    ])
    let first = try await server.client(as: "ada", retries: false)
    await expectRefusal { try await upload.send(to: first) }
    try await server.crash()
    let before = disk.hits.count
    try disk.set([.observe(.write, of: ".part"), .observe(.sync, of: ".part")])
    let next = try await server.restarted()
    let client = try await next.client(as: "ada", retries: false)
    #expect(try await upload.stored(at: client).complete)
    let calls = disk.hits[before...].map(\.call)
    let writes = calls.count { $0 == "write" }
    #expect(writes * File.pieceBytes >= upload.content.count, "\(calls)")
    #expect(calls.last == "sync", "\(calls)")
    #expect(try await client.assets().download(upload.asset) == upload.content)
  }

  @Test("a new folder whose sync failed and that stayed is made and synced again")
  func newGroup() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    let upload = AssetUpload(100_000)
    let path = server.folder.file("data/assets/" + upload.group)
    // The first attempt to remove the folder is before it is made.
    try disk.set([
      .fail(.sync, of: "/assets$"),
      .fail(.unlink, of: "/assets/\(upload.group)$", after: 1, count: 2, with: .readOnly),
    ])
    await expectRefusal { try await upload.send(to: client) }
    #expect(Folder.isThere(path))
    await expectRefusal { try await upload.stored(at: client) }
    try disk.set(.observe(.sync, of: "/assets$"))
    #expect(try await upload.stored(at: client).complete)
    #expect(disk.hits.contains { $0.code == 0 }, "the folder was not synced")
    #expect(try await client.assets().download(upload.asset) == upload.content)
  }

  @Test("after a failed sync of their folder, files of an earlier run are sent again")
  func earlierNames() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.startLasting(environment: disk.environment)
    let upload = AssetUpload(100_000)
    let first = try await server.client(as: "ada", retries: false)
    #expect(try await upload.send(to: first).complete)
    try await server.stop()
    let next = try await server.restarted()
    let client = try await next.client(as: "ada", retries: false)
    try disk.set(.fail(.sync, of: "/assets/\(upload.group)$"))
    await expectRefusal { try await upload.stored(at: client) }
    #expect(try await upload.stored(at: client) == .init(offset: 0))
    #expect(try await upload.send(to: client).complete)
    #expect(try await client.assets().download(upload.asset) == upload.content)
  }
}
