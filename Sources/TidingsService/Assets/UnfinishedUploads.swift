internal import Synchronization
internal import TidingsEngine
internal import TidingsFiles
internal import TidingsModel

/// How much each user has uploaded of what is not complete, and may.
///
/// The threads that write share it. It counts the files that are there, so a restarted server goes on
/// counting; what nobody continues is removed by the sweep, and counts no more.
final class UnfinishedUploads: Sendable {
  /// Of one user.
  private struct Uploads {
    /// By the name of the part.
    var bytes: [String: UInt64] = [:]
    var total: UInt64 = 0

    mutating func set(_ name: String, to count: UInt64?) {
      total -= bytes.updateValue(count ?? 0, forKey: name) ?? 0
      total += count ?? 0
      if count == nil { bytes[name] = nil }
    }
  }

  private let countMax: Int
  private let bytesMax: UInt64
  private let expiryHours: Int
  private let users = Mutex<[Substring: Uploads]>([:])

  /// Counts what an earlier run left.
  ///
  /// - Throws: `FileError`.
  init(_ folder: AssetFolder, limits: Limits) throws(FileError) {
    countMax = limits.unfinishedUploadsPerUserMax
    bytesMax = UInt64(limits.unfinishedUploadBytesPerUserMax)
    expiryHours = AssetFiles.partHours(limits)
    for name in try folder.partNames(where: { _ in true }) {
      guard let user = AssetUpload.userHash(ofPart: name),
        let status = try Folder.status(folder.partPath(name))
      else { continue }
      users.withLock { $0[user, default: Uploads()].set(name, to: status.size) }
    }
  }

  /// A part is to become longer.
  ///
  /// - Throws: `ItemError` `limitExceeded` when the user has too many others.
  func grow(_ name: String, to bytes: UInt64) throws(ItemError) {
    guard let user = AssetUpload.userHash(ofPart: name) else { return }
    let refusal: String? = users.withLock { users in
      let uploads = users[user] ?? Uploads()
      let isNew = uploads.bytes[name] == nil
      guard !isNew || uploads.bytes.count < countMax else {
        return "you have \(uploads.bytes.count) unfinished uploads and may have \(countMax)"
      }
      let others = uploads.total - (uploads.bytes[name] ?? 0)
      // A large one has room alone.
      guard others == 0 || bytes <= bytesMax.subtractingOrZero(others) else {
        return "your unfinished uploads would have more than \(bytesMax) bytes"
      }
      users[user, default: Uploads()].set(name, to: bytes)
      return nil
    }
    guard let refusal else { return }
    throw ItemError(
      .limitExceeded,
      "\(refusal): complete those first; what is not continued is removed some \(expiryHours) hours "
        + "later"
    )
  }

  /// A part is gone.
  func remove(_ name: String) {
    guard let user = AssetUpload.userHash(ofPart: name) else { return }
    users.withLock { users in
      users[user]?.set(name, to: nil)
      if users[user]?.bytes.isEmpty == true { users[user] = nil }
    }
  }
}

extension UInt64 {
  fileprivate func subtractingOrZero(_ other: UInt64) -> UInt64 { self > other ? self - other : 0 }
}
