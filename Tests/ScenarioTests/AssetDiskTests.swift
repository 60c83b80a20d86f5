internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsFiles
internal import TidingsProto
internal import TidingsRPC

/// Uploads on a disk that fails: what a sync did not keep is never acknowledged, however often it is
/// tried, because the system forgets which pages it could not write.
@Suite(.endsServers, .embeddedOnly) struct AssetDiskTests {
  @Test(
    "what a failed sync left of an upload is thrown away, in its middle and at its end",
    arguments: [3 << 20, 9 << 20]
  )
  func part(size: Int) async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    let upload = AssetUpload(size)
    try disk.set(.fail(.sync, of: ".part"))
    let refusal = await failure { _ = try await upload.send(to: client) }
    #expect(refusal?.code == .unavailable, "\(String(describing: refusal))")
    #expect(disk.failures.count == 1)
    #expect(try Folder.names(server.folder.file("data/assets/incoming")).isEmpty)
    let rest = try await upload.stored(at: client)
    #expect(rest == .init(offset: 0))
    // The last piece alone is not enough any more.
    let last = try await upload.send(from: size - 1 << 20, to: client)
    #expect(last == .init(offset: 0))

    // All of it is, and it is synced.
    try disk.set(.observe(.sync, of: ".part"))
    _ = try await client.assets().upload(upload.content)
    #expect(disk.hits.contains { $0.code == 0 })
    try await client.save(.init("Houses", "h", ["photo": .init(.assetValue(upload.asset))]))
    #expect(try await client.assets().download(upload.asset) == upload.content)
  }

  @Test("a file whose name may not be on the disk is not acknowledged, and sent again")
  func position() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    let upload = AssetUpload(100_000)
    let group = "/assets/\(upload.group)$"
    // Twice: the second try finds what the first left.
    try disk.set(.fail(.sync, of: group, count: 2))
    for _ in 0..<2 {
      let refusal = await failure { _ = try await upload.send(to: client) }
      #expect(refusal?.code == .unavailable, "\(String(describing: refusal))")
      #expect(try await upload.stored(at: client) == .init(offset: 0))
      #expect(try Folder.status(server.folder.file(upload.path)) == nil)
    }
    #expect(disk.failures.count == 2)
    #expect(try await upload.send(to: client).complete)
    #expect(try await client.assets().download(upload.asset) == upload.content)
  }

  @Test("a new folder whose name may not be on the disk is synced before anything in it counts")
  func group() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    let upload = AssetUpload(100_000)
    try disk.set(.fail(.sync, of: "/assets$"))
    let refusal = await failure { _ = try await upload.send(to: client) }
    #expect(refusal?.code == .unavailable, "\(String(describing: refusal))")
    try disk.set(.observe(.sync, of: "/assets$"))
    #expect(try await upload.send(to: client).complete)
    #expect(disk.hits.contains { $0.code == 0 }, "the folder was not synced")
  }

  @Test("a file that was lost is not taken for stored when its name was not synced")
  func lost() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    let upload = AssetUpload(100_000)
    #expect(try await upload.send(to: client).complete)
    try Folder.remove(server.folder.file(upload.path))
    try disk.set(.fail(.sync, of: "/assets/\(upload.group)$"))
    let refusal = await failure { _ = try await upload.send(to: client) }
    #expect(refusal?.code == .unavailable, "\(String(describing: refusal))")
    #expect(try await upload.stored(at: client) == .init(offset: 0))
    #expect(try await upload.send(to: client).complete)
    #expect(try await client.assets().download(upload.asset) == upload.content)
  }

  @Test("the file and why it failed are logged once, and not sent to the client")
  func cause() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    let upload = AssetUpload(1)
    try disk.set(.fail(.sync, of: "/assets$", count: nil))
    for _ in 0..<2 {
      let refusal = await failure {
        _ = try await client.assetCalls.uploadAsset(
          .init(asset: upload.asset, offset: 0, chunk: upload.content)
        )
      }
      #expect(
        refusal
          == RPCError(
            .unavailable,
            "the disk of the server failed (input/output error): "
              + "try again later, and inform its operator if that lasts",
            details: [.retryInfo(after: .seconds(1))]
          )
      )
    }
    let folder = server.folder.file("data/assets")
    let logged = try await server.process.seen.wait("the cause") { $0.errors.contains(folder) }
    let lines = logged.errors.split(separator: "\n").filter { $0.contains(folder) }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("error a file cannot be used in=\"a call\"") == true)
  }

  @Test("a full disk keeps what is there, and the upload goes on")
  func full() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    let upload = AssetUpload(3 << 20)
    try disk.set(.fail(.write, of: ".part", after: 1, with: .noSpace))
    let refusal = await failure { _ = try await upload.send(to: client) }
    #expect(refusal?.code == .unavailable && refusal?.message.contains("full") == true)
    #expect(try await upload.stored(at: client) == .init(offset: 1 << 20))
    #expect(try await upload.send(from: 1 << 20, to: client).complete)
    #expect(try await client.assets().download(upload.asset) == upload.content)
  }
}
