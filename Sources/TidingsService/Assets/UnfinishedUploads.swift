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

  private let rule: UnfinishedUploadRule
  private let users = Mutex<[Substring: Uploads]>([:])

  /// Counts what an earlier run left.
  ///
  /// - Throws: `FileError`.
  init(_ folder: AssetFolder, limits: Limits) throws(FileError) {
    rule = UnfinishedUploadRule(limits)
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
    try users.withLock { users throws(ItemError) in
      let uploads = users[user] ?? Uploads()
      let own = uploads.bytes[name]
      try rule.check(
        bytes,
        isNew: own == nil,
        others: (uploads.bytes.count - (own == nil ? 0 : 1), uploads.total - (own ?? 0))
      )
      users[user, default: Uploads()].set(name, to: bytes)
    }
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
