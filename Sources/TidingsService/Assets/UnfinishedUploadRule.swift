internal import TidingsEngine
internal import TidingsModel

/// How much a user may have uploaded of what is not complete.
struct UnfinishedUploadRule: Sendable {
  /// An upload that is not continued is kept this long at least.
  private static let hoursMin = 1

  private let countMax: Int
  private let bytesMax: UInt64
  /// How long an upload is kept that is not continued.
  let expiryHours: Int

  init(_ limits: Limits) {
    countMax = limits.unfinishedUploadsPerUserMax
    bytesMax = UInt64(limits.unfinishedUploadBytesPerUserMax)
    expiryHours = max(limits.assetRetentionHours, Self.hoursMin)
  }

  /// An upload is to become longer.
  ///
  /// - Parameters:
  ///   - bytes: How long.
  ///   - isNew: It has just begun.
  ///   - others: The user's other uploads: how many, and their bytes.
  /// - Throws: `ItemError` `limitExceeded` when the user has too many others.
  func check(
    _ bytes: UInt64,
    isNew: Bool,
    others: (count: Int, bytes: UInt64)
  ) throws(ItemError) {
    guard !isNew || others.count < countMax else {
      throw refusal("you have \(others.count) unfinished uploads and may have \(countMax)")
    }
    // A large one has room alone.
    let room = bytesMax > others.bytes ? bytesMax - others.bytes : 0
    guard others.bytes == 0 || bytes <= room else {
      throw refusal("your unfinished uploads would have more than \(bytesMax) bytes")
    }
  }

  private func refusal(_ what: String) -> ItemError {
    ItemError(
      .limitExceeded,
      "\(what): complete those first; what is not continued is removed some \(expiryHours) hours later"
    )
  }
}
