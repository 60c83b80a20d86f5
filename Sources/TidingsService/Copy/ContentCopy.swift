internal import TidingsEngine
internal import TidingsFiles

/// Copies what the embedded store has in files beside its database: the content of assets.
enum ContentCopy {
  /// What became of the assets.
  struct Outcome {
    /// Contents that are there.
    var assetCount: UInt64 = 0
    /// Contents that are missing or damaged in the source, and so in the copy.
    var damagedAssetCount: UInt64 = 0
  }

  /// Copies contents, each of which is compared with its checksum before it appears.
  ///
  /// What is there already is not copied again.
  ///
  /// - Parameters:
  ///   - source: From where.
  ///   - target: To where.
  ///   - inventory: All assets.
  ///   - progress: Called with the number of bytes after each content.
  /// - Returns: How many there are.
  /// - Throws: `SQLError`, `FileError`.
  static func copyAssets(
    from source: any StoredAssets,
    to target: any StoredAssets,
    _ inventory: AssetInventory,
    _ progress: (UInt64) -> Void
  ) throws -> Outcome {
    var outcome = Outcome()
    try forEach(inventory) { asset in
      do {
        try check(asset)
        try target.copy(asset, from: source)
        outcome.assetCount += 1
      } catch is StartError {
        outcome.damagedAssetCount += 1
      }
      progress(asset.size)
    }
    return outcome
  }

  /// Looks which contents are there.
  ///
  /// - Throws: `SQLError`, `FileError`.
  static func countAssets(
    in target: any StoredAssets,
    _ inventory: AssetInventory
  ) throws -> Outcome {
    var outcome = Outcome()
    try forEach(inventory) { asset in
      if asset.checksum.count == SHA256.checksumBytes, try target.has(asset) {
        outcome.assetCount += 1
      } else {
        outcome.damagedAssetCount += 1
      }
    }
    return outcome
  }

  /// - Throws: `StartError` for a row that names no asset.
  private static func check(_ asset: AssetInventory.Row) throws(StartError) {
    guard asset.checksum.count == SHA256.checksumBytes else {
      throw StartError("'\(asset.checksum.hexadecimal)' is not a checksum")
    }
  }

  private static func forEach(
    _ inventory: AssetInventory,
    _ body: (AssetInventory.Row) throws -> Void
  ) throws {
    var last: [UInt8] = []
    while true {
      let page = try inventory.page(after: last)
      for asset in page { try body(asset) }
      guard let end = page.last else { return }
      last = end.checksum
    }
  }
}
