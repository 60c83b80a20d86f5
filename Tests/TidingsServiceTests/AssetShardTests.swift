internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsEngine
internal import TidingsFiles
internal import TidingsModel

@testable internal import TidingsService

@Suite struct AssetShardTests {
  private let store: AssetStore
  private let folder: AssetFolder
  private let content: [UInt8]

  init() throws {
    store = try AssetStore()
    folder = try AssetFolder(path: store.folder.file("assets"))
    var random = SplitMix64(seed: 7)
    content = random.bytes(10_000)
  }

  private var asset: Asset {
    Asset(checksum: SHA256.checksum(of: content), size: UInt64(content.count))
  }

  private func shard() -> AssetShard { AssetShard(folder, databasePath: store.folder.file("db")) }

  private func upload(_ user: String = "ada", _ asset: Asset? = nil) -> AssetUpload {
    AssetUpload(
      database: AssetStore.database(user),
      user: user,
      asset: asset ?? self.asset
    )
  }

  private func complete(_ shard: AssetShard, _ upload: AssetUpload) throws {
    #expect(try shard.receive(upload, offset: 0, chunk: content) == .placed)
    try store.commit { try $0.addAsset(upload.asset, in: upload.database, by: upload.user) }
    shard.settle(upload.asset.checksum)
  }

  private var stored: [UInt8] {
    get throws { try File(path: folder.filePath(asset.checksum), .read).read(at: 0, count: 20_000) }
  }

  @Test("any chunks, in any order and doubled, become the file; gaps are refused")
  func randomChunks() throws {
    let seed = Seed.make("assetChunks")
    var random = SplitMix64(seed: seed)
    for _ in 0..<20 {
      var shard = shard()
      let upload = upload("u\(random.below(1_000_000))")
      var stored = 0
      while stored < content.count {
        // A restarted server knows what it has, and the hash of it.
        if random.oneIn(10) { shard = self.shard() }
        let offset = random.below(min(content.count, stored + 1000) + 1)
        let end = min(content.count, offset + random.below(3000))
        let step = try shard.receive(
          upload,
          offset: UInt64(offset),
          chunk: Array(content[offset..<end])
        )
        if offset <= stored { stored = max(stored, end) }
        if stored < content.count {
          try #require(step == .stored(UInt64(stored)), "seed \(seed)")
        } else {
          try #require(step == .placed, "seed \(seed)")
        }
      }
      #expect(try self.stored == content, "seed \(seed)")
      shard.settle(asset.checksum)
      #expect(try shard.collect(asset.checksum), "nobody has it")
    }
  }

  @Test("an asset of the database is complete at once; another database must send it")
  func known() throws {
    let shard = shard()
    try complete(shard, upload())
    #expect(try shard.receive(upload(), offset: 0, chunk: []) == .complete)
    #expect(try shard.receive(upload("bob"), offset: 0, chunk: []) == .stored(0))
    try complete(shard, upload("bob"))
    #expect(try folder.checksums(in: asset.checksum[0]) == [asset.checksum])
    #expect(try folder.partNames { _ in true } == [])
  }

  @Test("wrong bytes are told with both checksums, and removed")
  func wrongBytes() throws {
    let shard = shard()
    _ = try shard.receive(upload(), offset: 0, chunk: Array(content[..<5000]))
    let wrong = [UInt8](repeating: 0, count: 5000)
    let error = try #require(throws: ItemError.self) {
      try shard.receive(upload(), offset: 5000, chunk: wrong)
    }
    #expect(error.code == .invalidArguments)
    #expect(error.message.contains(asset.checksum.hexadecimal))
    #expect(
      error.message.contains(SHA256.checksum(of: content[..<5000] + wrong).hexadecimal)
    )
    #expect(try shard.receive(upload(), offset: 0, chunk: []) == .stored(0))
    try complete(shard, upload())
  }

  @Test("users of one database do not disturb each other")
  func users() throws {
    let shard = shard()
    let database = DatabaseID(
      container: "default",
      environment: .development,
      scope: .public,
      owner: ""
    )
    let ada = AssetUpload(database: database, user: "ada", asset: asset)
    let eve = AssetUpload(database: database, user: "eve", asset: asset)
    _ = try shard.receive(ada, offset: 0, chunk: Array(content[..<5000]))
    _ = try shard.receive(eve, offset: 0, chunk: [UInt8](repeating: 0, count: 5000))
    #expect(throws: ItemError.self) {
      try shard.receive(eve, offset: 5000, chunk: Array(content[5000...]))
    }
    #expect(try shard.receive(ada, offset: 5000, chunk: Array(content[5000...])) == .placed)
    #expect(try stored == content)
  }

  @Test("in the public database the bytes are sent by each user, unless a record shows them")
  func publicDatabase() throws {
    let shard = shard()
    let database = DatabaseID(
      container: "default",
      environment: .development,
      scope: .public,
      owner: ""
    )
    func upload(_ user: String) -> AssetUpload {
      AssetUpload(database: database, user: user, asset: asset)
    }
    try complete(shard, upload("ada"))
    #expect(try shard.receive(upload("ada"), offset: 0, chunk: []) == .complete)
    #expect(try shard.receive(upload("eve"), offset: 0, chunk: []) == .stored(0))
    #expect(throws: ItemError.self) {
      let wrong = [UInt8](repeating: 0, count: content.count)
      _ = try shard.receive(upload("eve"), offset: 0, chunk: wrong)
    }
    #expect(try stored == content)
    let record = Record(
      recordID: RecordID(recordName: "a"),
      recordType: "Houses",
      fields: ["f": .asset(asset)]
    )
    try store.commit {
      _ = try $0.modifyRecords(
        RecordChanges(database: database, saves: [record], deletions: [], policy: .allKeys),
        caller: Caller(user: "ada", device: "d")
      )
    }
    // A row says that it is eve's too, whatever becomes of the record.
    #expect(try shard.receive(upload("eve"), offset: 0, chunk: []) == .placed)
    try store.commit { try $0.addAsset(asset, in: database, by: "eve") }
    shard.settle(asset.checksum)
    #expect(try shard.receive(upload("eve"), offset: 0, chunk: []) == .complete)
  }

  @Test("a file is not collected between its completion and its row")
  func pinned() throws {
    let shard = shard()
    #expect(try shard.receive(upload(), offset: 0, chunk: content) == .placed)
    #expect(try !shard.collect(asset.checksum))
    try store.commit { try $0.addAsset(asset, in: AssetStore.database(), by: "ada") }
    shard.settle(asset.checksum)
    #expect(try !shard.collect(asset.checksum))
    #expect(try stored == content)
  }

  @Test("a file that was collected while it was pinned goes when it is settled without a row")
  func collectedWhilePinned() throws {
    let shard = shard()
    #expect(try shard.receive(upload(), offset: 0, chunk: content) == .placed)
    #expect(try !shard.collect(asset.checksum))
    #expect(try stored == content)
    shard.settle(asset.checksum)
    #expect(try Folder.status(folder.filePath(asset.checksum)) == nil)
  }

  @Test("a released asset that is sent again gets its time anew, and is safe meanwhile")
  func renewed() throws {
    store.advance(by: -3_600_000)
    let shard = shard()
    try complete(shard, upload())
    #expect(try shard.receive(upload(), offset: 0, chunk: []) == .placed)
    store.advance(by: AssetStore.retentionMilliseconds)
    try store.commit { _ = try $0.doChores() }
    #expect(store.engine.takeCollectedAssets() == [asset.checksum])
    #expect(try !shard.collect(asset.checksum))
    try store.commit { try $0.addAsset(asset, in: AssetStore.database(), by: "ada") }
    shard.settle(asset.checksum)
    #expect(try !shard.collect(asset.checksum))
  }

  @Test("a file that was lost is taken again")
  func lostFile() throws {
    let shard = shard()
    try complete(shard, upload())
    try Folder.remove(folder.filePath(asset.checksum))
    #expect(try shard.receive(upload(), offset: 0, chunk: []) == .stored(0))
    try complete(shard, upload())
    #expect(try stored == content)
  }

  @Test("an upload that nobody continues is removed when it is old enough")
  func oldParts() throws {
    let shard = shard()
    _ = try shard.receive(upload(), offset: 0, chunk: [1])
    let name = upload().partName
    #expect(try folder.partNames { $0 == asset.checksum[0] } == [name])
    let now = Timestamp.now.millisecondsSince1970
    let earlier = Timestamp(millisecondsSince1970: now - 10_000)
    let later = Timestamp(millisecondsSince1970: now + 10_000)
    #expect(try !shard.collectPart(name, olderThan: earlier))
    #expect(try shard.collectPart(name, olderThan: later))
    #expect(try shard.receive(upload(), offset: 0, chunk: []) == .stored(0))
  }

  @Test("an empty asset is complete at once")
  func empty() throws {
    let asset = Asset(checksum: SHA256.checksum(of: []), size: 0)
    let shard = shard()
    #expect(try shard.receive(upload("ada", asset), offset: 0, chunk: []) == .placed)
  }
}
