internal import TidingsBackup
internal import TidingsEngine
internal import TidingsFiles
internal import TidingsModel
internal import TidingsRPC
internal import TidingsSQLite

/// The bytes of a backup of the running store, in chunks; works on a thread of its own.
final class BackupSource {
  /// A chunk is sent when it has so many bytes; many small assets share one.
  private static let chunkBytes = WalkedStore.runBytes

  private enum Stage {
    case pages
    case assets
    case ended
  }

  private let pages: FrozenPages
  private let assets: AssetWalk
  private let eraser: SecretEraser
  private let skipsDamagedAssets: Bool
  private var encoder = BackupEncoder()
  private var totals = BackupTotals()
  private var stage = Stage.pages
  /// Encoded, and not returned yet.
  private var chunk = BackupEncoder.head

  /// Freezes the store as it is now; its assets must be held since before.
  ///
  /// - Throws: `SQLError`.
  init(_ store: WalkedStore, skipsDamagedAssets: Bool) throws {
    pages = try store.checkpointer.freeze()
    let connection = try store.connect()
    let statistics = try StoreStatistics(connection)
    assets = AssetWalk(try AssetInventory(connection), in: store.assets)
    eraser = store.eraser
    self.skipsDamagedAssets = skipsDamagedAssets
    let manifest = BackupManifest(
      schema: statistics.schema,
      incarnation: store.incarnation,
      created: Timestamp.now.utcText,
      serverVersion: TidingsServer.version,
      pageBytes: pages.pageBytes,
      pageCount: UInt64(pages.pageCount),
      assetCount: statistics.assets,
      assetBytes: statistics.assetBytes,
      containerCount: statistics.containers,
      recordCount: statistics.records
    )
    encoder.append(.manifest(manifest), to: &chunk)
  }

  /// The next bytes; `nil` at the end.
  ///
  /// - Throws: `RPCError` DATA_LOSS for damage; `SQLError`.
  func next() throws -> [UInt8]? {
    while chunk.count < Self.chunkBytes, stage != .ended {
      switch stage {
      case .pages: try appendPages()
      case .assets: try appendAsset()
      case .ended: break
      }
    }
    defer { chunk = [] }
    return chunk.isEmpty ? nil : chunk
  }

  private func appendPages() throws {
    guard let run = try pages.next(WalkedStore.runPages(of: pages)) else {
      // Nothing is kept aside for the assets.
      pages.close()
      stage = .assets
      return
    }
    if let page = run.damaged.first { throw RPCError.damagedPage(page) }
    totals.pages += UInt64(run.bytes.count / pages.pageBytes)
    encoder.append(.pages(first: UInt64(run.first), bytes: withoutSecret(run.bytes)), to: &chunk)
  }

  private func withoutSecret(_ run: [UInt8]) -> [UInt8] {
    var bytes = run
    for index in Set(eraser.erase(in: &bytes).map { $0 / pages.pageBytes }) {
      let range = index * pages.pageBytes..<(index + 1) * pages.pageBytes
      var page = Array(bytes[range])
      PageChecksum.write(into: &page)
      bytes.replaceSubrange(range, with: page)
    }
    return bytes
  }

  private func appendAsset() throws {
    switch try assets.next() {
    case .begin(let row)?:
      encoder.append(.asset(checksum: row.checksum, size: row.size), to: &chunk)
    case .piece(let bytes)?: encoder.append(.piece(bytes), to: &chunk)
    case .end(let row, problem: nil)?:
      totals.assets += 1
      totals.assetBytes += row.size
    case .end(let row, let problem?)?:
      guard skipsDamagedAssets else { throw RPCError.damagedAsset(row, problem) }
      encoder.append(.damagedAsset, to: &chunk)
      totals.damagedAssets += 1
    case nil:
      encoder.append(.end(totals), to: &chunk)
      stage = .ended
    }
  }
}

extension RPCError {
  fileprivate static func damagedPage(_ page: Int) -> Self {
    Self(
      .dataLoss,
      "page \(page) of the database is damaged: restore an earlier backup, `rpcctl server check` "
        + "lists all damage"
    )
  }

  fileprivate static func damagedAsset(_ row: AssetInventory.Row, _ problem: String) -> Self {
    Self(
      .dataLoss,
      "the asset \(row.checksum.hexadecimal) is damaged (\(problem)): upload it again, or back up "
        + "without it (rpcctl backup --skip-damaged-assets)"
    )
  }
}
