internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsClient
internal import TidingsFiles
internal import TidingsProto
internal import TidingsRPC

/// Assets, from a client's file to another client's.
@Suite(.endsServers) struct AssetTests {
  private typealias UploadRequest = TidingsV1.UploadAssetRequest

  private static let publicDatabase = TidingsV1.DatabaseID(scope: .public)

  private static func content(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    let block = random.bytes(min(count, 10_007))
    var content: [UInt8] = []
    while content.count < count { content += block.prefix(count - content.count) }
    return content
  }

  private static func asset(_ content: [UInt8]) -> TidingsV1.Asset {
    .init(checksum: SHA256.checksum(of: content), size: UInt64(content.count))
  }

  private static func record(_ name: String, _ assets: TidingsV1.Asset...) -> TidingsV1.Record {
    .init("Houses", name, ["photos": .init(.assetListValue(.init(values: assets)))])
  }

  private static func filePath(_ asset: TidingsV1.Asset, _ server: TestServer) -> String {
    let name = asset.checksum.hexadecimal
    return server.folder.file("data/assets/\(name.prefix(2))/\(name.dropFirst(2))")
  }

  private static func isFile(_ path: String) throws -> Bool { try Folder.status(path) != nil }

  /// Whether the content of an asset is stored, complete or not.
  private static func isStored(_ asset: TidingsV1.Asset, _ server: TestServer) throws -> Bool {
    if ServerDatabase.isEmbedded { return try isFile(filePath(asset, server)) }
    let checksum = asset.checksum.hexadecimal
    return try ServerDatabase.number(
      "count(*) FROM asset_contents WHERE checksum = decode('\(checksum)', 'hex')",
      ofDataFolder: server.folder.file("data")
    ) > 0
  }

  /// Waits for a content to be removed.
  private static func waitForRemoval(of asset: TidingsV1.Asset, _ server: TestServer) async throws {
    try await waitUntil("the asset to be removed", pausing: .milliseconds(50)) {
      try !isStored(asset, server)
    }
  }

  /// Waits for a file to go.
  private static func waitForEnd(ofFile path: String) async throws {
    try await waitUntil("\(path) to go", pausing: .milliseconds(20)) { try !isFile(path) }
  }

  @Test(
    "what is uploaded is what is downloaded",
    arguments: [0, 1, 65_535, 65_536, 1 << 20, (3 << 20) + 17]
  )
  func roundTrip(size: Int) async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let content = Self.content(size)
    try server.folder.write(content, to: "photo")
    let asset = try await client.uploadAsset(fileAt: server.folder.file("photo"))
    #expect(asset == Self.asset(content))
    try await client.save(Self.record("h1", asset))
    let fetched = try await client.fetch([.init("h1")])[0].record?.fields["photos"]?.value
    #expect(fetched == .assetListValue(.init(values: [asset])))
    try await client.downloadAsset(asset, to: server.folder.file("copy"))
    #expect(try server.folder.read("copy") == content)
    #expect(try await client.assets().download(asset) == content)
    #expect(try Folder.names(server.folder.path).sorted() == ["copy", "data", "photo"])
  }

  @Test("an upload goes on after kill -9 where it was")
  func resume() async throws {
    var server = try await TestServer.startLasting()
    let client = try await server.client(as: "ada")
    let content = Self.content(5 << 20)
    let asset = Self.asset(content)
    for index in 0..<3 {
      let chunk = Array(content[index << 20..<(index + 1) << 20])
      let response = try await client.assetCalls.uploadAsset(
        UploadRequest(asset: asset, offset: UInt64(index << 20), chunk: chunk)
      )
      #expect(response.offset == UInt64((index + 1) << 20) && !response.complete)
    }
    try await server.crash()
    server = try await server.restarted()
    let steps = Observed<[UInt64]>([])
    let uploaded = try await client.assets().upload(content) { progress in
      if progress.step == .transferring { steps.update { $0.append(progress.bytesDone) } }
    }
    #expect(uploaded == asset)
    #expect(steps.value == [3 << 20, 4 << 20, 5 << 20])
    #expect(try await client.assets().download(asset) == content)
  }

  @Test("chunks that do not fit are refused, and what they are part of goes on")
  func refusals() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let calls = client.assetCalls
    let content = Self.content(3_000_000)
    let asset = Self.asset(content)
    func refusal(_ request: UploadRequest) async -> RPCError? {
      await failure { _ = try await calls.uploadAsset(request) }
    }
    let tooLarge = await refusal(.init(asset: asset, chunk: Self.content((1 << 20) + 1)))
    #expect(tooLarge?.code == .resourceExhausted, "\(String(describing: tooLarge))")
    let huge = TidingsV1.Asset(checksum: asset.checksum, size: 50_000_001)
    #expect(await refusal(.init(asset: huge))?.code == .resourceExhausted)
    for wrong in [
      UploadRequest(asset: nil),
      UploadRequest(asset: .init(checksum: [1], size: 1)),
      UploadRequest(asset: asset, offset: 2_999_999, chunk: [1, 2]),
      UploadRequest(asset: asset, offset: .max, chunk: [1, 2]),
    ] {
      #expect(await refusal(wrong)?.code == .invalidArgument)
    }
    let nobody = try await server.client(as: "")
    let unnamed = await failure {
      _ = try await nobody.assetCalls.uploadAsset(
        .init(databaseID: Self.publicDatabase, asset: asset)
      )
    }
    #expect(unnamed?.code == .unauthenticated)

    // A gap is no error: the answer says where to go on.
    let ahead = try await calls.uploadAsset(
      .init(asset: asset, offset: 1_000_000, chunk: Array(content[1_000_000..<1_001_000]))
    )
    #expect(ahead.offset == 0 && !ahead.complete)

    let short = Self.asset([1, 2, 3])
    let wrongBytes = await refusal(.init(asset: short, chunk: [1, 2, 4]))
    #expect(wrongBytes?.code == .invalidArgument)
    for checksum in [short.checksum, Self.asset([1, 2, 4]).checksum] {
      #expect(wrongBytes?.message.contains(checksum.hexadecimal) == true)
    }
    #expect(try await client.assets().upload([1, 2, 3]) == short)
    #expect(try await client.assets().upload(content) == asset)
  }

  @Test("the same bytes are stored once, sent once to a database, and proved to the next one")
  func deduplication() async throws {
    let server = try await TestServer.start()
    let ada = try await server.client(as: "ada", device: "laptop")
    let phone = try await server.client(as: "ada", device: "phone")
    let bob = try await server.client(as: "bob")
    let content = Self.content(2 << 20)
    let asset = try await ada.assets().upload(content)

    let again = try await phone.assetCalls.uploadAsset(.init(asset: asset))
    #expect(again.complete && again.offset == asset.size)

    #expect(try await !bob.assetCalls.uploadAsset(.init(asset: asset)).complete)
    let refused = await failure { _ = try await bob.assets().download(asset) }
    #expect(refused?.code == .notFound)
    #expect(try await bob.modify([Self.record("h1", asset)])[0].error?.code.rawValue == 35)
    _ = try await bob.assets().upload(content)
    #expect(try await bob.assets().download(asset) == content)
    try await bob.save(Self.record("h1", asset))
    guard ServerDatabase.isEmbedded else {
      let data = server.folder.file("data")
      #expect(try ServerDatabase.number("count(*) FROM asset_contents", ofDataFolder: data) == 1)
      return
    }
    let folders = try Folder.names(server.folder.file("data/assets")).sorted()
    #expect(folders == [String(asset.checksum.hexadecimal.prefix(2)), "incoming"])
    #expect(try Folder.names(server.folder.file("data/assets/incoming")) == [])
  }

  @Test("users at once in the public database, and devices of one user, do not harm each other")
  func together() async throws {
    let server = try await TestServer.start()
    let content = Self.content(3_500_000)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<6 {
        let client = try await server.client(as: "user\(index % 3)", device: "d\(index)")
        group.addTask {
          let transfer = client.assets(in: Self.publicDatabase)
          let asset = try await transfer.upload(content)
          #expect(asset == Self.asset(content))
        }
      }
      try await group.waitForAll()
    }
    let asset = Self.asset(content)
    let uploader = try await server.client(as: "user2").assets(in: Self.publicDatabase)
    #expect(try await uploader.download(asset) == content)
    let other = await failure {
      _ = try await server.client(as: "user0").assets().download(asset)
    }
    #expect(other?.code == .notFound)
  }

  @Test("an asset of the public database is for who may read a record that names it")
  func publicAssets() async throws {
    let server = try await TestServer.start()
    let ada = try await server.client(as: "ada")
    let eve = try await server.client(as: "eve")
    let nobody = try await server.client(as: "")
    let schema = """
      DEFINE SCHEMA
          RECORD TYPE Open ( photo ASSET, GRANT READ TO "_world", GRANT CREATE TO "_icloud",
              GRANT WRITE TO "_creator" );
          RECORD TYPE Own ( photo ASSET, GRANT CREATE TO "_icloud",
              GRANT READ, WRITE TO "_creator" );
      """
    _ = try await ada.schemas.applySchema(.init(container: "default", text: schema))
    func save(
      _ name: String,
      _ type: String,
      _ asset: TidingsV1.Asset,
      by client: Client
    )
      async throws -> Int32
    {
      let record = TidingsV1.Record(type, name, ["photo": .init(.assetValue(asset))])
      return try await client.modify([record], in: Self.publicDatabase)[0].error?.code.rawValue ?? 0
    }
    func mayDownload(_ client: Client, _ asset: TidingsV1.Asset) async -> Bool {
      let error = await failure {
        let bytes = try await client.assets(in: Self.publicDatabase).download(asset)
        #expect(Self.asset(bytes) == asset)
      }
      guard let error else { return true }
      #expect(error.code == .notFound)
      return false
    }
    let asset = try await ada.assets(in: Self.publicDatabase).upload(Self.content(70_000))
    #expect(await mayDownload(ada, asset))
    #expect(try await save("a", "Own", asset, by: ada) == 0)
    #expect(await !mayDownload(eve, asset))
    #expect(await !mayDownload(nobody, asset))
    // The checksum alone gives eve neither the upload nor a record of her own that names it.
    let begun = try await eve.assetCalls.uploadAsset(
      .init(databaseID: Self.publicDatabase, asset: asset)
    )
    #expect(!begun.complete && begun.offset == 0)
    #expect(try await save("e", "Own", asset, by: eve) == 35)
    #expect(await !mayDownload(eve, asset))

    #expect(try await save("b", "Open", asset, by: ada) == 0)
    #expect(await mayDownload(eve, asset))
    #expect(await mayDownload(nobody, asset))
    #expect(try await save("e", "Own", asset, by: eve) == 0)
    _ = try await ada.modify(delete: [.init("b")], in: Self.publicDatabase)
    #expect(await !mayDownload(nobody, asset))
    #expect(await mayDownload(eve, asset))
  }

  @Test("an unknown asset fails its record, and an atomic batch with it")
  func unknownAsset() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let known = try await client.assets().upload([1, 2, 3])
    let unknown = Self.asset([4])
    let records = [Self.record("good", known), Self.record("bad", known, unknown)]
    let atomic = try await client.modify(records, atomic: true)
    #expect(atomic.map { $0.error?.code } == [.batchRequestFailed, .assetNotAvailable])
    let message = try #require(atomic[1].error?.message)
    for word in ["'bad'", "'photos'", unknown.checksum.hexadecimal, "upload it first"] {
      #expect(message.contains(word), "\(message)")
    }
    let each = try await client.modify(records, atomic: false)
    #expect(each.map { $0.error?.code } == [nil, .assetNotAvailable])
  }

  @Test("a range of an asset")
  func ranges() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let content = Self.content(700_000)
    let transfer = client.assets()
    let asset = try await transfer.upload(content)
    for range in [0..<1, 262_143..<262_145, 100_000..<650_000, 699_999..<700_000] as [Range<Int>] {
      let bytes = try await transfer.download(
        asset,
        range: UInt64(range.lowerBound)..<UInt64(range.upperBound)
      )
      #expect(bytes == Array(content[range]), "\(range)")
    }
    #expect(try await transfer.download(asset, range: 699_990..<900_000).count == 10)
    #expect(try await transfer.download(asset, range: 700_000..<700_001) == [])
    let behind = await failure {
      _ = try await transfer.download(asset, range: 700_001..<700_002)
    }
    #expect(behind?.code == .outOfRange)
    let wrongSize = await failure {
      _ = try await transfer.download(.init(checksum: asset.checksum, size: 1))
    }
    #expect(wrongSize?.code == .notFound)
    #expect(try await transfer.download(.init(checksum: asset.checksum)) == content)
  }

  @Test("a download resumes where it broke off, and what is wrong never takes the file's name")
  func downloadResume() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let content = Self.content(1_000_000)
    let transfer = client.assets()
    let asset = try await transfer.upload(content)
    let part = "copy.\(asset.checksum.prefix(8).map { $0 }.hexadecimal).part"
    let path = server.folder.file("copy")

    try server.folder.write(Array(content[..<600_000]), to: part)
    let steps = Observed<[UInt64]>([])
    try await transfer.download(asset, to: path) { progress in
      if progress.step == .transferring { steps.update { $0.append(progress.bytesDone) } }
    }
    #expect(steps.value.first == 600_000 + 262_144)
    #expect(try server.folder.read("copy") == content)

    try server.folder.write([1], to: "copy")
    try server.folder.write([UInt8](repeating: 0, count: 600_000), to: part)
    let wrong = await failure { try await transfer.download(asset, to: path) }
    #expect(wrong?.code == .dataLoss)
    #expect(try server.folder.read("copy") == [1])
    try await transfer.download(asset, to: path)
    #expect(try server.folder.read("copy") == content)
    #expect(try !Self.isFile(server.folder.file(part)))
  }

  @Test("an asset stays while a record names it, and goes after the last")
  func collection() async throws {
    var server = try await TestServer.start()
    let folder = server.folder
    let content = Self.content(100_000)
    var client = try await server.client(as: "ada")
    let asset = try await client.assets().upload(content)
    let kept = try await client.assets().upload([1, 2, 3])
    try await client.save(Self.record("h1", asset))
    try await client.save(Self.record("h2", asset, kept))

    _ = try await client.modify(delete: [.init("h1")])
    try await server.stop()
    server = try await .start(in: folder, arguments: ["--limit", "asset-retention-hours=0"])
    client = try await server.client(as: "ada")
    // Collected when it is released: not while a record names it.
    let bait = try await client.assets().upload(Self.content(70_000, seed: 2))
    try await Self.waitForRemoval(of: bait, server)
    #expect(try await client.assets().download(asset) == content)

    try await client.save(
      .init("Houses", "h2", ["photos": .init(.assetListValue(.init(values: [kept])))])
    )
    try await Self.waitForRemoval(of: asset, server)
    let gone = await failure { _ = try await client.assets().download(asset) }
    #expect(gone?.code == .notFound)
    #expect(try await client.assets().download(kept) == [1, 2, 3])
    #expect(
      try await client.modify([Self.record("h3", asset)])[0].error?.code == .assetNotAvailable
    )
  }

  @Test(
    "files without rows are removed at a start when they are old enough, and nothing else",
    .embeddedOnly
  )
  func strayFiles() async throws {
    var server = try await TestServer.start()
    let folder = server.folder
    _ = try await server.client(as: "ada").assets().upload([1, 2, 3])
    try await server.stop()
    let stray = String(repeating: "0", count: 62)
    for name in ["00", "ff"] { try Folder.make(folder.file("data/assets/\(name)")) }
    try folder.write([1], to: "data/assets/00/\(stray)")
    try folder.write([1], to: "data/assets/ff/\(stray)")
    try folder.write([1], to: "data/assets/ff/notes.txt")
    try folder.write([1], to: "data/assets/incoming/00-new.part")
    try folder.write([1], to: "data/assets/incoming/00-old.part")
    try folder.makeOld("data/assets/incoming/00-old.part")
    // A day young: they may be what another database names that is put back.
    server = try await .start(in: folder)
    try await Self.waitForEnd(ofFile: folder.file("data/assets/incoming/00-old.part"))
    for path in ["00/\(stray)", "ff/\(stray)"] {
      #expect(try Self.isFile(folder.file("data/assets/\(path)")))
    }
    try await server.stop()
    try folder.write([1], to: "data/assets/incoming/00-last.part")
    for path in ["00/\(stray)", "ff/\(stray)", "incoming/00-last.part"] {
      try folder.makeOld("data/assets/\(path)")
    }
    server = try await .start(in: folder, arguments: ["--limit", "asset-retention-hours=0"])
    // Parts are swept last.
    try await Self.waitForEnd(ofFile: folder.file("data/assets/incoming/00-last.part"))
    for path in ["00/\(stray)", "ff/\(stray)"] {
      #expect(try !Self.isFile(folder.file("data/assets/\(path)")))
    }
    #expect(try Self.isFile(folder.file("data/assets/incoming/00-new.part")))
    #expect(try Self.isFile(folder.file("data/assets/ff/notes.txt")))
  }

  @Test(
    "after a crash nothing is swept until the retention has passed, also over clean starts",
    .embeddedOnly
  )
  func strayFilesAfterCrash() async throws {
    var server = try await TestServer.start()
    let folder = server.folder
    let asset = try await server.client(as: "ada").assets().upload([1, 2, 3])
    try await server.crash()
    try folder.write([1], to: "data/assets/incoming/00-old.part")
    try folder.makeOld("data/assets/incoming/00-old.part")
    for _ in 0..<2 {
      server = try await .start(in: folder)
      // What is uploaded is handled by the threads that sweep, after what they had to do before.
      #expect(try await server.client(as: "ada").assets().download(asset) == [1, 2, 3])
      _ = try await server.client(as: "ada").assets().upload([4])
      try await server.stop()
      #expect(try Self.isFile(folder.file("data/assets/incoming/00-old.part")))
    }
    server = try await .start(in: folder, arguments: ["--limit", "asset-retention-hours=0"])
    try await Self.waitForEnd(ofFile: folder.file("data/assets/incoming/00-old.part"))
  }

  @Test("a file that was lost is reported as such, and fixed by the next upload", .embeddedOnly)
  func lostFile() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let asset = try await client.assets().upload([1, 2, 3])
    try Folder.remove(Self.filePath(asset, server))
    let lost = await failure { _ = try await client.assets().download(asset) }
    #expect(lost?.code == .dataLoss)
    #expect(try await client.assets().upload([1, 2, 3]) == asset)
    #expect(try await client.assets().download(asset) == [1, 2, 3])
  }

  @Test("an asset of 50 MB takes no memory of its size")
  func memory() async throws {
    let server = try await TestServer.start()
    let client = try await server.client(as: "ada")
    let content = Self.content(50_000_000)
    try server.folder.write(content, to: "film")
    let small = try await client.assets().upload([1])
    _ = try await client.assets().download(small)
    let before = try server.process.memoryPeakBytes()
    let asset = try await client.uploadAsset(fileAt: server.folder.file("film"))
    try await client.downloadAsset(asset, to: server.folder.file("copy"))
    let growth = try server.process.memoryPeakBytes() - before
    #expect(growth < 40 << 20, "grew by \(growth) bytes")
    #expect(try server.folder.read("copy") == content)
  }
}
