internal import EngineTestSupport
internal import RandomSupport
internal import TestSupport
internal import Testing
internal import TidingsEngine
internal import TidingsFiles
internal import TidingsModel
internal import TidingsSQLite

@testable internal import TidingsService

/// Files of assets beside an embedded store.
@Suite(.embeddedOnly) struct AssetShardTests {
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

  private func shard(_ limits: Limits = Limits()) throws -> AssetShard {
    AssetShard(
      folder,
      try UnfinishedUploads(folder, limits: limits),
      readers: EmbeddedReaders(path: store.testDatabase.path, gate: SnapshotGate()),
      steadyClock: SteadyClock()
    )
  }

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
      var shard = try shard()
      let upload = upload("u\(random.below(1_000_000))")
      var stored = 0
      while stored < content.count {
        // A restarted server knows what it has, and the hash of it.
        if random.oneIn(10) { shard = try self.shard() }
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
    let shard = try shard()
    try complete(shard, upload())
    #expect(try shard.receive(upload(), offset: 0, chunk: []) == .complete)
    #expect(try shard.receive(upload("bob"), offset: 0, chunk: []) == .stored(0))
    try complete(shard, upload("bob"))
    #expect(try folder.checksums(in: asset.checksum[0]) == [asset.checksum])
    #expect(try folder.partNames { _ in true } == [])
  }

  @Test("wrong bytes are reported with both checksums, and removed")
  func wrongBytes() throws {
    let shard = try shard()
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
    let shard = try shard()
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
    let shard = try shard()
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
    let shard = try shard()
    #expect(try shard.receive(upload(), offset: 0, chunk: content) == .placed)
    #expect(try !shard.collect(asset.checksum))
    try store.commit { try $0.addAsset(asset, in: AssetStore.database(), by: "ada") }
    shard.settle(asset.checksum)
    #expect(try !shard.collect(asset.checksum))
    #expect(try stored == content)
  }

  @Test("a file that was collected while it was pinned goes when it is settled without a row")
  func collectedWhilePinned() throws {
    let shard = try shard()
    #expect(try shard.receive(upload(), offset: 0, chunk: content) == .placed)
    #expect(try !shard.collect(asset.checksum))
    #expect(try stored == content)
    shard.settle(asset.checksum)
    #expect(try Folder.status(folder.filePath(asset.checksum)) == nil)
  }

  @Test("a released asset that is sent again gets its time again, and is safe meanwhile")
  func renewed() throws {
    let shard = try shard()
    try complete(shard, upload())
    try store.execute("UPDATE assets SET released = released - 3600000")
    #expect(try shard.receive(upload(), offset: 0, chunk: []) == .placed)
    store.advance(by: AssetStore.retentionMilliseconds - 3_600_000)
    try store.commit { _ = try $0.doMaintenance() }
    #expect(store.committed?.collectedAssets == [asset.checksum])
    #expect(try !shard.collect(asset.checksum))
    try store.commit { try $0.addAsset(asset, in: AssetStore.database(), by: "ada") }
    shard.settle(asset.checksum)
    #expect(try !shard.collect(asset.checksum))
  }

  @Test("a file that was lost is taken again")
  func lostFile() throws {
    let shard = try shard()
    try complete(shard, upload())
    try Folder.remove(folder.filePath(asset.checksum))
    #expect(try shard.receive(upload(), offset: 0, chunk: []) == .stored(0))
    try complete(shard, upload())
    #expect(try stored == content)
  }

  @Test("an upload that nobody continues is removed when it is old enough")
  func oldParts() throws {
    let shard = try shard()
    _ = try shard.receive(upload(), offset: 0, chunk: [1])
    let name = upload().partName
    #expect(try folder.partNames { $0 == asset.checksum[0] } == [name])
    let now = SteadyClock().now
    let (earlier, later) = (now.advanced(by: .seconds(-10)), now.advanced(by: .seconds(10)))
    #expect(try !shard.collectPart(name, olderThan: earlier))
    #expect(try shard.collectPart(name, olderThan: later))
    #expect(try shard.receive(upload(), offset: 0, chunk: []) == .stored(0))
  }

  /// An asset of which a part is sent.
  private func other(_ number: Int) -> Asset {
    Asset(checksum: [UInt8](repeating: UInt8(number), count: 32), size: 50_000)
  }

  @Test("a user has few unfinished uploads, also after a restart, and until they are removed")
  func unfinishedUploads() throws {
    var limits = Limits()
    limits.unfinishedUploadsPerUserMax = 2
    var shard = try shard(limits)
    for number in [1, 2] {
      _ = try shard.receive(upload("ada", other(number)), offset: 0, chunk: [1])
    }
    shard = try self.shard(limits)
    func refusal(_ user: String, _ asset: Asset, at offset: UInt64 = 0) -> ItemError? {
      do {
        _ = try shard.receive(upload(user, asset), offset: offset, chunk: [1])
        return nil
      } catch {
        return error as? ItemError
      }
    }
    let refused = try #require(refusal("ada", other(3)))
    #expect(refused.code == .limitExceeded)
    for words in ["2 unfinished uploads", "may have 2", "complete those first", "24 hours"] {
      #expect(refused.message.contains(words), "\(refused.message)")
    }
    // To ask, to continue, and another user: all is as ever.
    #expect(try shard.receive(upload("ada", other(3)), offset: 0, chunk: []) == .stored(0))
    #expect(refusal("ada", other(2), at: 1) == nil)
    #expect(refusal("eve", other(3)) == nil)
    let later = SteadyClock().now.advanced(by: .seconds(10))
    #expect(try shard.collectPart(upload("ada", other(1)).partName, olderThan: later))
    #expect(refusal("ada", other(3)) == nil)
    // What is complete, or wrong, no longer counts.
    #expect(try shard.collectPart(upload("ada", other(3)).partName, olderThan: later))
    try complete(shard, upload())
    let wrong = Asset(checksum: other(4).checksum, size: 1)
    #expect(refusal("ada", wrong)?.code == .invalidArguments)
    #expect(refusal("ada", other(3)) == nil)
    #expect(refusal("ada", other(4))?.code == .limitExceeded)
  }

  @Test("unfinished uploads together have few bytes, and one alone as many as an asset may have")
  func unfinishedBytes() throws {
    var limits = Limits()
    limits.unfinishedUploadBytesPerUserMax = 1_000
    let shard = try shard(limits)
    let bytes = [UInt8](repeating: 1, count: 3_000)
    #expect(
      try shard.receive(upload("ada", other(1)), offset: 0, chunk: bytes) == .stored(3_000)
    )
    let error = #expect(throws: ItemError.self) {
      try shard.receive(upload("ada", other(2)), offset: 0, chunk: [1])
    }
    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("more than 1000 bytes") == true)
    #expect(try shard.receive(upload("eve", other(2)), offset: 0, chunk: [1]) == .stored(1))
  }

  @Test("an empty asset is complete at once")
  func empty() throws {
    let asset = Asset(checksum: SHA256.checksum(of: []), size: 0)
    let shard = try shard()
    #expect(try shard.receive(upload("ada", asset), offset: 0, chunk: []) == .placed)
  }
}
