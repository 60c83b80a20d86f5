internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsFiles
internal import TidingsProto
internal import TidingsRPC

@testable internal import rpcctl

/// An asset whose file is not what was uploaded is an error, and never wrong bytes that look complete.
@Suite(.endsServers, .embeddedOnly) struct DamagedAssetTests {
  /// One message of a download, and several.
  private static let sizes = [1_000, 700_000]

  private static func content(_ count: Int) -> [UInt8] {
    var random = SplitMix64(seed: UInt64(count))
    return random.bytes(count)
  }

  private static func path(_ asset: TidingsV1.Asset) -> String {
    let name = asset.checksum.hexadecimal
    return "data/assets/\(name.prefix(2))/\(name.dropFirst(2))"
  }

  /// Changes one byte of an asset's file.
  private func damage(_ asset: TidingsV1.Asset, at offset: Int, _ server: TestServer) throws {
    let path = Self.path(asset)
    let byte = try server.folder.read(path)[offset]
    try server.folder.overwrite([byte ^ 1], at: offset, in: path)
  }

  /// What comes of a download, and how it ends.
  private func received(
    _ request: TidingsV1.DownloadAssetRequest,
    _ client: Client
  ) async -> (bytes: [UInt8], failure: RPCError?) {
    var bytes: [UInt8] = []
    do throws(RPCError) {
      for try await part in client.assetCalls.downloadAsset(request) { bytes += part.chunk }
      return (bytes, nil)
    } catch {
      return (bytes, error)
    }
  }

  @Test("a download of a damaged file breaks off before its last bytes", arguments: sizes)
  func download(size: Int) async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada", retries: false)
    let content = Self.content(size)
    let asset = try await client.assets().upload(content)
    for offset in [0, size - 1] {
      try damage(asset, at: offset, server)
      let (bytes, failure) = await received(.init(asset: asset), client)
      #expect(failure?.code == .dataLoss, "\(String(describing: failure))")
      #expect(failure?.message.contains("upload the asset again") == true)
      #expect(bytes.count < size)
      let all = await received(.init(asset: asset, length: UInt64(size) + 5), client)
      #expect(all.failure?.code == .dataLoss && all.bytes.count < size)
      // It is right again.
      try damage(asset, at: offset, server)
      let (sound, none) = await received(.init(asset: asset), client)
      #expect(none == nil && sound == content)
    }
    try damage(asset, at: 0, server)
    // Of a part nothing is known.
    let part = await received(.init(asset: asset, offset: 1), client)
    #expect(part.failure == nil && part.bytes == Array(content[1...]))
    let logged = try await server.process.seen.wait("the cause") {
      $0.errors.contains("another checksum")
    }
    #expect(logged.errors.contains(server.folder.file(Self.path(asset))), "\(logged.errors)")
  }

  @Test("neither the client nor rpcctl keeps a file of a damaged asset", arguments: sizes)
  func files(size: Int) async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada", retries: false)
    let asset = try await client.assets().upload(Self.content(size))
    try await client.save(.init("Houses", "h", ["photo": .init(.assetValue(asset))]))
    try damage(asset, at: size / 2, server)
    try Folder.make(server.folder.file("copies"))
    let path = server.folder.file("copies/copy")
    let refusal = await failure { try await client.downloadAsset(asset, to: path) }
    #expect(refusal?.code == .dataLoss, "\(String(describing: refusal))")
    let run = await RpcctlRun(
      server,
      ["download-asset", "--record", "h", "--field", "photo", "--file", path]
    )
    #expect(run.exitCode != .success && run.err.contains("damaged"), "\(run.err)")
    #expect(try Folder.names(server.folder.file("copies")).isEmpty)
  }

  @Test("an upload replaces a file that a download found damaged")
  func replaced() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada", retries: false)
    let content = Self.content(700_000)
    let asset = try await client.assets().upload(content)
    try damage(asset, at: 5, server)
    let refusal = await failure { _ = try await client.assets().download(asset) }
    #expect(refusal?.code == .dataLoss)
    #expect(try await client.assets().upload(content) == asset)
    #expect(try await client.assets().download(asset) == content)
    #expect(try server.folder.read(Self.path(asset)) == content)
  }

  @Test("a bit that flips while a file is read is noticed too")
  func flippedBit() async throws {
    let disk = try DiskFaults()
    let server = try await TestServer.start(environment: disk.environment)
    let client = try await server.client(as: "ada", retries: false)
    let content = Self.content(700_000)
    let asset = try await client.assets().upload(content)
    for piece in 0..<3 {
      try disk.set(.flip("/data/assets/", after: piece))
      let (bytes, failure) = await received(.init(asset: asset), client)
      #expect(failure?.code == .dataLoss && bytes.count < content.count, "piece \(piece)")
      let flips = disk.hits.count { $0.call == "flip" }
      #expect(flips == piece + 1)
      try disk.clear()
      #expect(try await client.assets().download(asset) == content)
    }
  }
}
