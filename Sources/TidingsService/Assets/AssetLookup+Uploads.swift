internal import TidingsEngine
internal import TidingsFiles
internal import TidingsModel

extension AssetLookup {
  /// A lookup on a connection of its own.
  static func open(_ readers: any StoreReaders) throws -> AssetLookup {
    try AssetLookup(readers.connect(cacheBytes: 1 << 20))
  }
}

extension AssetLookup.Holding {
  /// The time of a released asset starts again when it is sent again after this long.
  private static let renewalMilliseconds: Int64 = 60_000

  /// Whether the upload of an asset that the database has must write the asset's row again.
  ///
  /// - Parameters:
  ///   - asset: What is uploaded.
  ///   - now: The time.
  /// - Returns: `false`: there is nothing to do.
  /// - Throws: `ItemError` if the asset has another size.
  func isToBeRenewed(by asset: Asset, at now: SteadyTime) throws(ItemError) -> Bool {
    guard row.size == asset.size else {
      throw ItemError(
        .invalidArguments,
        "the asset \(asset.checksum.hexadecimal) has \(row.size) bytes, not \(asset.size)"
      )
    }
    let isOld = row.released.map { now.milliseconds - $0.milliseconds > Self.renewalMilliseconds }
    // Who may read it has it from now on, whatever becomes of the record.
    return isOld == true || !isUploaded
  }
}
