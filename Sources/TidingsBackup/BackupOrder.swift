internal import TidingsFiles

/// Which section may come next: the rules of a backup beyond its bytes.
struct BackupOrder: Sendable {
  /// The asset at hand.
  private struct OpenAsset {
    let checksum: [UInt8]
    let size: UInt64
    var hash = SHA256()
    var bytes: UInt64 = 0
  }

  private(set) var manifest: BackupManifest?
  private(set) var totals = BackupTotals()
  private(set) var hasEnded = false
  private var asset: OpenAsset?
  private var lastChecksum: [UInt8] = []

  /// Takes the next section.
  ///
  /// - Throws: `BackupError` when it must not come now.
  mutating func take(_ section: BackupSection, at offset: UInt64) throws(BackupError) {
    guard let manifest else {
      guard case .manifest(let first) = section else {
        throw .damaged("the manifest is missing", at: offset)
      }
      manifest = first
      return
    }
    switch section {
    case .manifest: throw .damaged("a second manifest", at: offset)
    case .pages(let first, let bytes): try takePages(first, bytes.count, manifest, offset)
    case .asset(let checksum, let size):
      try closeAsset(manifest, offset)
      guard lastChecksum.lexicographicallyPrecedes(checksum) else {
        throw .damaged("an asset out of order", at: offset)
      }
      lastChecksum = checksum
      asset = OpenAsset(checksum: checksum, size: size)
    case .piece(let bytes):
      guard asset != nil else { throw .damaged("a piece of no asset", at: offset) }
      asset?.hash.update(bytes[...])
      asset?.bytes += UInt64(bytes.count)
    case .damagedAsset:
      guard asset != nil else { throw .damaged("a remark on no asset", at: offset) }
      asset = nil
      totals.damagedAssets += 1
    case .end(let expected):
      try closeAsset(manifest, offset)
      guard totals == expected else { throw .damaged("sections are missing", at: offset) }
      hasEnded = true
    }
  }

  private mutating func takePages(
    _ first: UInt64,
    _ bytes: Int,
    _ manifest: BackupManifest,
    _ offset: UInt64
  ) throws(BackupError) {
    guard first == totals.pages + 1, lastChecksum.isEmpty, bytes.isMultiple(of: manifest.pageBytes)
    else { throw .damaged("pages out of order", at: offset) }
    totals.pages += UInt64(bytes / manifest.pageBytes)
    guard totals.pages <= manifest.pageCount else {
      throw .damaged("more pages than the manifest says", at: offset)
    }
  }

  /// The asset at hand is complete, or all pages are.
  private mutating func closeAsset(
    _ manifest: BackupManifest,
    _ offset: UInt64
  ) throws(BackupError) {
    guard totals.pages == manifest.pageCount else {
      throw .damaged("pages are missing", at: offset)
    }
    guard let asset else { return }
    guard asset.bytes == asset.size, asset.hash.checksum() == asset.checksum else {
      throw .damaged("an asset has another content", at: offset)
    }
    self.asset = nil
    totals.assets += 1
    totals.assetBytes += asset.size
  }
}
