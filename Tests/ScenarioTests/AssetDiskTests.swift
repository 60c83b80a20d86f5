internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsFiles
internal import TidingsProto
internal import TidingsRPC

/// Uploads on a disk that fails: what a sync did not keep is never acknowledged, however often it is
/// tried, because the system forgets which pages it could not write.
@Suite(.endsServers, .embeddedOnly) struct AssetDiskTests {
  private typealias UploadRequest = TidingsV1.UploadAssetRequest

  private static func content(_ count: Int) -> [UInt8] {
    var random = SplitMix64(seed: UInt64(count))
    let block = random.bytes(10_007)
    var content: [UInt8] = []
    while content.count < count { content += block.prefix(count - content.count) }
    return content
  }

  private static func asset(_ content: [UInt8]) -> TidingsV1.Asset {
    .init(checksum: SHA256.checksum(of: content), size: UInt64(content.count))
  }

  /// Sends pieces of 1 MiB from an offset on.
  private func send(
    _ content: [UInt8],
    from start: Int = 0,
    to calls: TidingsV1.AssetService.Client
  ) async throws -> TidingsV1.UploadAssetResponse {
    var response = TidingsV1.UploadAssetResponse()
    for offset in stride(from: start, to: content.count, by: 1 << 20) {
      let end = min(offset + 1 << 20, content.count)
      response = try await calls.uploadAsset(
        UploadRequest(
          asset: Self.asset(content),
          offset: UInt64(offset),
          chunk: Array(content[offset..<end])
        )
      )
    }
    return response
  }

  /// How much of an upload the server has.
  private func stored(
    _ content: [UInt8],
    _ calls: TidingsV1.AssetService.Client
  ) async throws -> TidingsV1.UploadAssetResponse {
    try await calls.uploadAsset(UploadRequest(asset: Self.asset(content)))
  }

  @Test(
    "what a failed sync left of an upload is thrown away, in its middle and at its end",
    arguments: [3 << 20, 9 << 20]
  )
  func part(size: Int) async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    let content = Self.content(size)
    try disk.set(.fail(.sync, of: ".part"))
    let refusal = await failure { _ = try await send(content, to: client.assetCalls) }
    #expect(refusal?.code == .unavailable, "\(String(describing: refusal))")
    #expect(disk.failures.count == 1)
    #expect(try Folder.names(server.folder.file("data/assets/incoming")).isEmpty)
    let rest = try await stored(content, client.assetCalls)
    #expect(rest == .init(offset: 0))
    // The last piece alone is not enough any more.
    let last = try await send(content, from: size - 1 << 20, to: client.assetCalls)
    #expect(last == .init(offset: 0))

    // All of it is, and it is synced.
    try disk.set(.observe(.sync, of: ".part"))
    _ = try await client.assets().upload(content)
    #expect(disk.hits.contains { $0.code == 0 })
    try await client.save(.init("Houses", "h", ["photo": .init(.assetValue(Self.asset(content)))]))
    #expect(try await client.assets().download(Self.asset(content)) == content)
  }

  @Test("a file whose name may not be on the disk is not acknowledged, and sent again")
  func position() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    let content = Self.content(100_000)
    let name = Self.asset(content).checksum.hexadecimal
    let group = "/assets/\(name.prefix(2))$"
    // Twice: the second try finds what the first left.
    try disk.set(.fail(.sync, of: group, count: 2))
    for _ in 0..<2 {
      let refusal = await failure { _ = try await send(content, to: client.assetCalls) }
      #expect(refusal?.code == .unavailable, "\(String(describing: refusal))")
      #expect(try await stored(content, client.assetCalls) == .init(offset: 0))
      let path = server.folder.file("data/assets/\(name.prefix(2))/\(name.dropFirst(2))")
      #expect(try Folder.status(path) == nil)
    }
    #expect(disk.failures.count == 2)
    #expect(try await send(content, to: client.assetCalls).complete)
    #expect(try await client.assets().download(Self.asset(content)) == content)
  }

  @Test("a new folder whose name may not be on the disk is synced before anything in it counts")
  func group() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    let content = Self.content(100_000)
    try disk.set(.fail(.sync, of: "/assets$"))
    let refusal = await failure { _ = try await send(content, to: client.assetCalls) }
    #expect(refusal?.code == .unavailable, "\(String(describing: refusal))")
    try disk.set(.observe(.sync, of: "/assets$"))
    #expect(try await send(content, to: client.assetCalls).complete)
    #expect(disk.hits.contains { $0.code == 0 }, "the folder was not synced")
  }

  @Test("a file that was lost is not taken for stored when its name was not synced")
  func lost() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    let content = Self.content(100_000)
    #expect(try await send(content, to: client.assetCalls).complete)
    let name = Self.asset(content).checksum.hexadecimal
    let path = server.folder.file("data/assets/\(name.prefix(2))/\(name.dropFirst(2))")
    try Folder.remove(path)
    try disk.set(.fail(.sync, of: "/assets/\(name.prefix(2))$"))
    let refusal = await failure { _ = try await send(content, to: client.assetCalls) }
    #expect(refusal?.code == .unavailable, "\(String(describing: refusal))")
    #expect(try await stored(content, client.assetCalls) == .init(offset: 0))
    #expect(try await send(content, to: client.assetCalls).complete)
    #expect(try await client.assets().download(Self.asset(content)) == content)
  }

  @Test("the file and why it failed are logged once, and not sent to the client")
  func cause() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    try disk.set(.fail(.sync, of: "/assets$", count: nil))
    for _ in 0..<2 {
      let refusal = await failure {
        _ = try await client.assetCalls.uploadAsset(
          UploadRequest(asset: Self.asset([7]), offset: 0, chunk: [7])
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
    let content = Self.content(3 << 20)
    try disk.set(.fail(.write, of: ".part", after: 1, with: .noSpace))
    let refusal = await failure { _ = try await send(content, to: client.assetCalls) }
    #expect(refusal?.code == .unavailable && refusal?.message.contains("full") == true)
    #expect(try await stored(content, client.assetCalls) == .init(offset: 1 << 20))
    #expect(try await send(content, from: 1 << 20, to: client.assetCalls).complete)
    #expect(try await client.assets().download(Self.asset(content)) == content)
  }
}
