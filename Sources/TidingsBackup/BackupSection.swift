/// A part of a backup, in the order: manifest, pages, assets with their pieces, end.
package enum BackupSection: Hashable, Sendable {
  /// What the backup holds.
  case manifest(BackupManifest)
  /// Consecutive pages of the database file; the first page of the file is 1.
  case pages(first: UInt64, bytes: [UInt8])
  /// The pieces of this asset follow; checksums ascend.
  case asset(checksum: [UInt8], size: UInt64)
  /// The next bytes of the asset.
  case piece([UInt8])
  /// The file of the asset was missing or damaged when the backup was made: its pieces are not to be
  /// used.
  case damagedAsset
  /// All is there.
  case end(BackupTotals)
}

/// What a whole backup holds, as its end says.
package struct BackupTotals: Hashable, Sendable {
  /// Pages of the database file.
  package var pages: UInt64 = 0
  /// Assets, without those that are left out.
  package var assets: UInt64 = 0
  /// Bytes of these.
  package var assetBytes: UInt64 = 0
  /// Assets that are left out, because their files were missing or damaged.
  package var damagedAssets: UInt64 = 0

  /// Nothing yet.
  package init() {}
}
